import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { Database } from '../platform/database/database.js';
import { IndexedNetworks } from '../indexes/overview/indexed-networks.js';
import { EvmChains } from '../platform/evm-chains/evm-chains.js';
import { GenesisAllocations } from '../indexes/evm/sources/genesis-allocations.js';
import { ExportStorage } from './storage/export-storage.js';
import { StorageSpace } from './storage/storage-space.js';
import {
  type ExportProgress,
  type ExportRequest,
  type ExportTurnInput,
  type KeepWholeDaysInput,
  TRANSACTION_EXPORT_PRIMARY_NETWORK,
} from '../../workflows/contracts/export-transactions.js';
import { Metrics } from '../platform/metrics/metrics.js';
import { ExportMetrics } from './export-metrics.js';
import type { ProofChain } from './proof/export-proof.js';
import { ProofMaker } from './proof/proof-maker.js';
import { ExportNodes } from './rows/export-node.js';
import { LogWindows } from '../avalanche/evm/rpc/log-windows.js';
import { ArchiveNodes } from './search/archive-nodes.js';
import { SearchRecordsRepository } from './search/search-records.repository.js';
import { ExportPartsRepository } from './turns/export-parts.repository.js';
import { FormattedRows } from './rows/formatted-rows.js';
import { todayIn } from './turns/days.js';
import {
  beginExport,
  type ExportPosition,
  nextDateOf,
  periodOf,
  toProgress,
} from './turns/export-position.js';
import { ExportTurn } from './turns/export-turn.js';
import { IndexedBlocksRepository } from './turns/indexed-blocks.repository.js';
import type { ExportSources } from './turns/turn-input.js';
import { PartContent } from './rows/part-content.js';
import { TokenLabels } from './rows/token-labels.js';

/** A part ends there, whatever the time. */
const MAX_PART_BYTES = 256 * 2 ** 20;
const KEY_BYTES = 8;

export interface TurnOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: ExportProgress) => void;
}

/** Makes the file of an export part by part; a part counts once it is on record, and only then. */
@Injectable()
export class TransactionExporter {
  private readonly sources: ExportSources;

  constructor(
    database: Database,
    blocks: IndexedBlocksRepository,
    labels: TokenLabels,
    chains: EvmChains,
    indexedNetworks: IndexedNetworks,
    genesis: GenesisAllocations,
    archives: ArchiveNodes,
    private readonly searches: SearchRecordsRepository,
    private readonly proofs: ProofMaker,
    private readonly parts: ExportPartsRepository,
    private readonly storage: ExportStorage,
    private readonly space: StorageSpace,
    private readonly metrics: ExportMetrics = new ExportMetrics(new Metrics()),
  ) {
    this.sources = {
      database,
      blocks,
      labels,
      chains,
      indexedNetworks,
      genesis,
      archives,
      searches,
      windows: new LogWindows(),
    };
  }

  /**
   * Goes on behind the last part on record for about `durationMs`, and puts one more on record.
   *
   * Throws TransactionExportError, EvmChainError, EvmError, RpcError, ExportStorageError, or the database's error; all of them leave the
   * export as it was.
   */
  async exportTurn(input: ExportTurnInput, { signal, onProgress }: TurnOptions): Promise<ExportProgress> {
    const { operationId, request, durationMs } = input;
    const startedAt = performance.now();
    const { count, bytes: bytesBefore, position, crc } = await this.parts.load(operationId);
    const begin = position ?? beginExport(request);
    const period = periodOf(request, todayIn(request.timeZone));
    if (begin.state !== 'more') {
      const progress = toProgress(begin, period, bytesBefore);
      await this.finish({ operationId, request }, begin, progress, this.prove(request, begin, signal));
      return progress;
    }

    const turn = new ExportTurn({ ...input, period }, begin, this.sources, signal);
    const part = new PartContent(begin.rows, crc);
    const formatted = new FormattedRows(request);
    const rows = turn.content((reached) => {
      onProgress(toProgress(reached, period, bytesBefore + part.bytes));
      const isSmall = part.bytes < MAX_PART_BYTES && part.storedBytes < this.space.turnBytes;
      return isSmall && performance.now() - startedAt < durationMs;
    });
    // Nodes are asked while the storage still has to make sure of the last rows.
    let proof: Promise<ProofChain[]> | undefined;
    const proved = whenOver(rows, () => {
      if (turn.position.state !== 'more') proof = this.prove(request, turn.position, signal);
      proof?.catch(() => undefined); // nothing waits for it if the storage fails
    });
    const content = part.pack(formatted.of(proved, { withHeader: count === 0 }));
    const storageKey = await this.space.whileThereIsRoom(operationId, () =>
      this.store(`${operationId}/${count}`, content, signal),
    );
    const size = {
      bytes: part.bytes,
      storedBytes: part.storedBytes,
      rows: turn.position.rows - begin.rows,
    };
    await this.parts.record({
      operationId,
      part: count,
      storageKey,
      ...size,
      position: turn.position,
      crc: part.crc,
      sha256: part.sha256,
      cut: part.cut,
    });
    this.metrics.countPart(size);
    const progress = toProgress(turn.position, period, bytesBefore + part.bytes);
    if (proof !== undefined) {
      await this.finish({ operationId, request }, turn.position, progress, proof);
    }
    return progress;
  }

  /**
   * Ends an export that has taken too long behind its last whole day; null when no chain has one. One that has ended meanwhile stays as it
   * is.
   *
   * Throws TransactionExportError `PART_TAKEN`, or the database's error.
   */
  async keepWholeDays({ operationId, request }: KeepWholeDaysInput): Promise<ExportProgress | null> {
    const period = periodOf(request, todayIn(request.timeZone));
    const { count, bytes, position } = await this.parts.load(operationId);
    const { signal } = new AbortController();
    if (position !== undefined && position.state !== 'more') {
      const progress = toProgress(position, period, bytes);
      await this.finish({ operationId, request }, position, progress, this.prove(request, position, signal));
      return progress;
    }

    const found = await this.parts.findCut(operationId);
    if (found === undefined) return null;
    const end: ExportPosition = { ...found.cut.position, state: 'truncated' };
    if (nextDateOf(end, period) === undefined) return null;
    await this.parts.cut(operationId, { part: found.part, cut: { ...found.cut, position: end }, count });
    const progress = toProgress(end, period, (await this.parts.load(operationId)).bytes);
    await this.finish({ operationId, request }, end, progress, this.prove(request, end, signal));
    return progress;
  }

  /** None of a ledger, which has no nodes to be compared with. */
  private async prove(
    request: ExportRequest,
    position: ExportPosition,
    signal: AbortSignal,
  ): Promise<ProofChain[]> {
    if (request.type === TRANSACTION_EXPORT_PRIMARY_NETWORK) return [];
    const chains = request.chainIds.map((chainId) => this.sources.chains.byId(BigInt(chainId)));
    return this.proofs.proveChains({ request, position }, chains, new ExportNodes(this.sources, signal));
  }

  /** Done again by an attempt that finds the last part on record: the one before may have ended in between. */
  private async finish(
    { operationId, request }: KeepWholeDaysInput,
    position: ExportPosition,
    progress: ExportProgress,
    proof: Promise<readonly ProofChain[]>,
  ): Promise<void> {
    if (request.type === TRANSACTION_EXPORT_PRIMARY_NETWORK) return;
    const [parts, chains] = await Promise.all([this.parts.findDigests(operationId), proof]);
    await this.proofs.record({ operationId, request, position, progress, parts, chains });
    await this.searches.forget(operationId);
  }

  /** A name of its own for each attempt: one that counts as dead but lives must not write over its successor's part. */
  private async store(
    name: string,
    content: AsyncGenerator<Buffer, void>,
    signal: AbortSignal,
  ): Promise<string | null> {
    try {
      const first = await content.next();
      if (first.done) return null;
      const storageKey = `${name}-${randomBytes(KEY_BYTES).toString('hex')}`;
      await this.storage.write(storageKey, startingWith(first.value, content), { signal });
      return storageKey;
    } finally {
      // A storage that gives up in the middle leaves it open, and with it a connection to the database.
      await content.return();
    }
  }
}

/** The same; `act` is called when it has come to its end of its own accord. */
async function* whenOver<T>(content: AsyncGenerator<T, void>, act: () => void): AsyncGenerator<T, void> {
  yield* content;
  act();
}

async function* startingWith(
  first: Buffer,
  rest: AsyncGenerator<Buffer, void>,
): AsyncGenerator<Buffer, void> {
  yield first;
  yield* rest;
}
