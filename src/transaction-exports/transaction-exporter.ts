import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { formatCsvHeader } from '../avalanche/evm/csv.js';
import { Database } from '../database/database.js';
import { EvmChains } from '../evm-chains/evm-chains.js';
import { ExportStorage } from '../export-storage/export-storage.js';
import type { ExportProgress, ExportTurnInput } from '../../workflows/contracts/export-transactions.js';
import { ExportPartsRepository } from './export-parts.repository.js';
import { today } from './days.js';
import { beginExport, periodOf, toProgress } from './export-position.js';
import { type ExportSources, ExportTurn } from './export-turn.js';
import { IndexedBlocksRepository } from './indexed-blocks.repository.js';
import { TokenLabels } from './token-labels.js';

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
    private readonly parts: ExportPartsRepository,
    private readonly storage: ExportStorage,
  ) {
    this.sources = { database, blocks, labels, chains };
  }

  /**
   * Goes on behind the last part on record for about `durationMs`, and puts one more on record.
   *
   * @throws TransactionExportError, EvmChainError, EvmError, RpcError, ExportStorageError, or what the database says; all of
   * them leave the export as it was.
   */
  async exportTurn(input: ExportTurnInput, { signal, onProgress }: TurnOptions): Promise<ExportProgress> {
    const { operationId, request, durationMs } = input;
    const startedAt = performance.now();
    const { count: part, bytes: bytesBefore, position } = await this.parts.load(operationId);
    const begin = position ?? beginExport(request);
    const period = periodOf(request, today());
    if (begin.state !== 'more') return toProgress(begin, period, bytesBefore);

    const turn = new ExportTurn({ ...input, period }, begin, this.sources, signal);
    let given = 0;
    const rows = turn.content((reached) => {
      onProgress(toProgress(reached, period, bytesBefore + given));
      return performance.now() - startedAt < durationMs && given < MAX_PART_BYTES;
    });
    const content = counted(part === 0 ? withHeader(rows) : rows, (bytes) => (given += bytes));
    const { storageKey, bytes } = await this.store(`${operationId}/${part}`, content, signal);
    await this.parts.record({
      operationId,
      part,
      storageKey,
      bytes,
      rows: turn.position.rows - begin.rows,
      positionAfter: turn.position,
    });
    return toProgress(turn.position, period, bytesBefore + bytes);
  }

  /** A name of its own for each attempt: one that counts as dead but lives must not write over its successor's part. */
  private async store(
    name: string,
    content: AsyncGenerator<Buffer, void>,
    signal: AbortSignal,
  ): Promise<{ storageKey: string | null; bytes: number }> {
    try {
      const first = await content.next();
      if (first.done) return { storageKey: null, bytes: 0 };
      const storageKey = `${name}-${randomBytes(KEY_BYTES).toString('hex')}`;
      const bytes = await this.storage.write(storageKey, startingWith(first.value, content), { signal });
      return { storageKey, bytes };
    } finally {
      // A storage that gives up in the middle leaves it open, and with it a connection to the database.
      await content.return();
    }
  }
}

async function* withHeader(rows: AsyncGenerator<Buffer, void>): AsyncGenerator<Buffer, void> {
  yield Buffer.from(formatCsvHeader());
  yield* rows;
}

async function* startingWith(
  first: Buffer,
  rest: AsyncGenerator<Buffer, void>,
): AsyncGenerator<Buffer, void> {
  yield first;
  yield* rest;
}

async function* counted(
  content: AsyncGenerator<Buffer, void>,
  count: (bytes: number) => void,
): AsyncGenerator<Buffer, void> {
  for await (const chunk of content) {
    count(chunk.length);
    yield chunk;
  }
}
