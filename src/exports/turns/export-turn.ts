import { assertChain } from '../../avalanche/evm/blocks/block.js';
import { type Address, type Hash, readAddress } from '../../avalanche/evm/rpc/hex-values.js';
import type { Database } from '../../platform/database/database.js';
import type { IndexedNetworks } from '../../indexes/overview/indexed-networks.js';
import { type EvmChain, isLocalCChain } from '../../platform/evm-chains/evm-chain.js';
import type { EvmChains } from '../../platform/evm-chains/evm-chains.js';
import { ChainMintRules } from '../../indexes/evm/sources/chain-mint-rules.js';
import type { GenesisAllocations } from '../../indexes/evm/sources/genesis-allocations.js';
import type { ExportTurnInput } from '../../../workflows/contracts/export-transactions.js';
import { copyOut, inBlocks, toCrlf } from '../rows/copy-out.js';
import { addDays, countDays, type Day, dayOf, later, startOf } from './days.js';
import { genesisMissing, type MissingRows, missingOn, openAt } from './export-gaps.js';
import { ExportNode, isNodeFailure } from '../rows/export-node.js';
import {
  addNote,
  beginSlice,
  type ChainSlice,
  currentChain,
  endSlice,
  type ExportPosition,
  type Period,
  type Slice,
  takeStep,
} from './export-position.js';
import { type FoundHeight, HeightFinder } from './height-finder.js';
import type { CoveredRange } from './index-coverage.js';
import { indexChanged, type IndexedBlocksRepository } from './indexed-blocks.repository.js';
import { MOVEMENT_QUERY_SETTINGS, movementQuery } from '../rows/movement-query.js';
import type { TurnContent } from '../rows/part-content.js';
import { ScanReader } from '../rows/scan-reader.js';
import { formatBlock, tokensIn } from '../rows/scanned-rows.js';
import type { TokenLabels } from '../rows/token-labels.js';
import { TransactionExportError } from '../transaction-export.error.js';
import { WindowSize } from './window-size.js';

export interface ExportSources {
  readonly database: Database;
  readonly blocks: IndexedBlocksRepository;
  readonly labels: TokenLabels;
  readonly chains: EvmChains;
  readonly indexedNetworks: IndexedNetworks;
  readonly genesis: GenesisAllocations;
}

/** A COPY waits for the storage; a slow one is no defect of the query. */
const COPY_TIMEOUT_MS = 300_000;
/** Postgres sends a few rows at a time; each piece costs the storage about the same, whatever its size. */
const BLOCK_BYTES = 256 * 1024;
/** Longest time of one COPY, as a share of the turn, so that the turn ends about when it should. */
const COPY_SHARE = 0.2;

/** A stretch of an export's file, from a position on. It moves by whole steps, so that the position behind it is exact. */
export class ExportTurn {
  private readonly addresses: ReadonlySet<Address>;
  private readonly nodeSignal: AbortSignal;
  private readonly nodes = new Map<bigint, ExportNode>();
  private readonly scans = new Map<bigint, ScanReader>();
  /** Stops reading ahead when the result is no longer wanted. */
  private readonly left = new AbortController();
  private mayGoOn: (position: ExportPosition) => boolean = () => false;
  private readonly windows = new Map<bigint, WindowSize>();

  constructor(
    private readonly input: Pick<ExportTurnInput, 'request' | 'limits' | 'durationMs'> & { period: Period },
    private current: ExportPosition,
    private readonly sources: ExportSources,
    private readonly signal: AbortSignal,
  ) {
    this.nodeSignal = AbortSignal.any([signal, this.left.signal]);
    this.addresses = new Set(input.request.addresses.map((address) => readAddress(address, 'address')));
  }

  get position(): ExportPosition {
    return this.current;
  }

  /** Takes at least one step; ends when the export does, or when it is told not to go on. */
  async *content(mayGoOn: (position: ExportPosition) => boolean): AsyncGenerator<TurnContent, void> {
    this.mayGoOn = mayGoOn;
    try {
      yield* this.steps();
    } finally {
      this.left.abort();
    }
  }

  private async *steps(): AsyncGenerator<TurnContent, void> {
    const begin = this.current;
    do {
      this.signal.throwIfAborted();
      const { slice } = this.current;
      try {
        yield* this.step();
        if (slice !== null && this.current.slice === null) yield { position: this.current };
      } catch (error) {
        // What was done so far is worth keeping: otherwise a node that fails now and then would hold the export up forever.
        if (this.current === begin || !isNodeFailure(error)) throw error;
        return;
      }
    } while (this.current.state === 'more' && this.mayGoOn(this.current));
  }

  private async *step(): AsyncGenerator<Buffer, void> {
    const { slice } = this.current;
    if (slice === null) {
      this.current = await this.planSlice();
      return;
    }
    const chainSlice = currentChain(slice);
    if (chainSlice === undefined) {
      this.current = endSlice(this.current, slice, this.input.period, this.input.limits);
      return;
    }
    const chain = this.sources.chains.byId(chainSlice.chainId);
    const coverage = await this.sources.blocks.coverageOf(chain);
    const range = coverage.rangeAt(chainSlice.nextHeight);
    if (range !== undefined) {
      yield* this.copy(chain, slice, chainSlice, range);
    } else {
      const above = coverage.nextAbove(chainSlice.nextHeight);
      const toHeight = above === undefined ? chainSlice.toHeight : min(above - 1n, chainSlice.toHeight);
      yield* this.scan(chain, slice, chainSlice, toHeight);
    }
  }

  /** Rows that are in the tables. */
  private async *copy(
    chain: EvmChain,
    slice: Slice,
    chainSlice: ChainSlice,
    range: CoveredRange,
  ): AsyncGenerator<Buffer, void> {
    const fromHeight = chainSlice.nextHeight;
    const window = this.windowOf(chain.chainId);
    const toHeight = min(fromHeight + window.current - 1n, min(range.to, chainSlice.toHeight));
    const avaxAssetId = await this.avaxOf(chain);
    const query = movementQuery({ chain, avaxAssetId, addresses: [...this.addresses], fromHeight, toHeight });
    const startedAt = performance.now();
    const rows = yield* this.copyLines(query);
    window.learn({ heights: toHeight - fromHeight + 1n, rows, elapsedMs: performance.now() - startedAt });
    // A reset removes the range before it empties the tables.
    const coverage = await this.sources.blocks.coverageOf(chain);
    if (!coverage.covers({ from: fromHeight, to: toHeight })) throw indexChanged(chain.chainId, toHeight);
    const step = { toHeight, rows, scannedBlocks: 0, parentHash: null };
    this.current = takeStep(this.current, slice, chainSlice, step);
    const missing = missingOf(range);
    const ranges = missing.length === 0 ? [] : [{ from: fromHeight, to: toHeight }];
    for (const { first, last } of await this.sources.blocks.datesOf(chain, { ranges })) {
      for (const rows of missing) {
        this.addMissing(chain, rows, first.timestampSeconds, last.timestampSeconds);
      }
    }
  }

  private async *copyLines(query: string): AsyncGenerator<Buffer, number> {
    const { signal } = this;
    const copy = copyOut(this.sources.database, query, {
      settings: MOVEMENT_QUERY_SETTINGS,
      timeoutMs: COPY_TIMEOUT_MS,
      signal,
    });
    const blocks = inBlocks(copy, BLOCK_BYTES);
    let lines = 0;
    try {
      for (;;) {
        const next = await blocks.next();
        if (next.done) {
          if (lines === next.value) return lines;
          throw new RangeError(`${next.value} rows have come as ${lines} lines`);
        }
        const { content, lines: own } = toCrlf(next.value);
        lines += own;
        yield content;
      }
    } finally {
      // Does nothing when it has come to its end.
      await blocks.return(0);
    }
  }

  /** Rows of blocks that are not indexed. */
  private async *scan(
    chain: EvmChain,
    slice: Slice,
    chainSlice: ChainSlice,
    lastHeight: bigint,
  ): AsyncGenerator<Buffer, void> {
    const fromHeight = chainSlice.nextHeight;
    const node = this.nodeOf(chain);
    const blocks = await this.scanOf(chain).read(fromHeight, lastHeight);
    const headers = blocks.map(({ block }) => block);
    assertChain(headers, await this.parentOf(chain, chainSlice));
    const labels = await this.sources.labels.of(chain, tokensIn(blocks, this.addresses), node);
    const avaxAssetId = await this.avaxOf(chain);
    let rows = 0;
    for (const block of blocks) {
      const formatted = formatBlock(block, { chain, avaxAssetId, addresses: this.addresses, labels });
      rows += formatted.rows;
      if (formatted.rows > 0) yield Buffer.from(formatted.text);
    }
    const step = {
      toHeight: fromHeight + BigInt(blocks.length) - 1n,
      rows,
      scannedBlocks: blocks.length,
      parentHash: headers.at(-1)?.hash ?? null,
    };
    this.current = takeStep(this.current, slice, chainSlice, step);
    if (fromHeight === 0n && !(await node.knowsGenesis())) {
      this.current = { ...this.current, gaps: genesisMissing(this.current.gaps, chain) };
    }
    for (const { block, isTraced } of blocks) {
      if (!isTraced) this.addMissing(chain, 'untraced', block.timestampSeconds, block.timestampSeconds);
    }
  }

  /** Throws rather than guess: rows that name a wrong asset, or none, would stay in the file. */
  private async avaxOf(chain: EvmChain): Promise<string | undefined> {
    const { avaxAssetId, isIndexed } = await this.sources.indexedNetworks.get(chain.network);
    if (isIndexed || !isLocalCChain(chain)) return avaxAssetId;
    throw new TransactionExportError(
      'NETWORK_NOT_INDEXED',
      `the AVAX of chain ${chain.chainId} is not known before the P-chain of its network is indexed`,
    );
  }

  private async parentOf(
    chain: EvmChain,
    { nextHeight, parentHash }: ChainSlice,
  ): Promise<{ height: bigint; hash: Hash } | undefined> {
    if (nextHeight === 0n) return undefined;
    const height = nextHeight - 1n;
    const hash = parentHash ?? (await this.sources.blocks.hashOf(chain, height));
    return hash === undefined ? undefined : { height, hash };
  }

  /** Days that have to be read from nodes make slices of their own, so that the limits are looked at after each. */
  private async planSlice(): Promise<ExportPosition> {
    const { nextDay: firstDay, sliceDays } = this.current;
    const begins: ChainBegin[] = [];
    let days = Math.min(sliceDays, countDays(firstDay, this.input.period.until));
    for (const chainId of this.input.request.chainIds) {
      const begin = await this.beginChain(this.sources.chains.byId(BigInt(chainId)), startOf(firstDay));
      if (days > 1) days = Math.min(days, await begin.finder.freeDays(startOf(firstDay), begin.fromHeight));
      begins.push(begin);
    }
    const lastDay = addDays(firstDay, Math.max(days, 1) - 1);
    const ends: ChainEnd[] = [];
    for (const begin of begins) ends.push(await endOf(begin, startOf(addDays(lastDay, 1))));
    const chains = ends.map(({ chain: { chainId }, fromHeight, height }) => ({
      chainId,
      fromHeight,
      behind: height,
    }));
    return ends.reduce(
      (position, end) => this.withEnd(position, firstDay, end),
      beginSlice(this.current, { firstDay, lastDay, chains }),
    );
  }

  private async beginChain(chain: EvmChain, midnightSeconds: number): Promise<ChainBegin> {
    const { blocks } = this.sources;
    const coverage = await blocks.coverageOf(chain);
    const finder = await HeightFinder.create(chain, blocks, this.nodeOf(chain), coverage);
    const known = this.current.starts[chain.chainId.toString()];
    return { chain, finder, fromHeight: known ?? (await finder.find(midnightSeconds)).height };
  }

  /** With what is to be said of a chain whose days begin later than asked for, or are not known to be over. */
  private withEnd(
    position: ExportPosition,
    firstDay: Day,
    { chain, fromHeight, height, newest }: ChainEnd,
  ): ExportPosition {
    if (newest !== null) {
      const day = later(dayOf(newest.timestampSeconds), firstDay);
      return { ...position, gaps: openAt(position.gaps, chain, { day, ...newest }) };
    }
    // The time of a genesis says nothing, where it is not among the blocks.
    const isBefore = height <= 1n && height === fromHeight;
    return isBefore ? addNote(position, beforeChain(chain, this.input.request.firstDate)) : position;
  }

  private addMissing(chain: EvmChain, rows: MissingRows, fromSeconds: number, toSeconds: number): void {
    const days = { first: dayOf(fromSeconds), last: dayOf(toSeconds) };
    this.current = { ...this.current, gaps: missingOn(this.current.gaps, chain, rows, days) };
  }

  private nodeOf(chain: EvmChain): ExportNode {
    let node = this.nodes.get(chain.chainId);
    if (node === undefined) {
      const { chains, genesis } = this.sources;
      const rules = new ChainMintRules(chain, genesis);
      node = new ExportNode(chain, chains.clientOf(chain), chains.tracerOf(chain), rules, this.nodeSignal);
      this.nodes.set(chain.chainId, node);
    }
    return node;
  }

  private scanOf(chain: EvmChain): ScanReader {
    let scan = this.scans.get(chain.chainId);
    if (scan === undefined) {
      scan = new ScanReader(this.nodeOf(chain), () => this.mayGoOn(this.current));
      this.scans.set(chain.chainId, scan);
    }
    return scan;
  }

  private windowOf(chainId: bigint): WindowSize {
    let window = this.windows.get(chainId);
    if (window === undefined) {
      window = new WindowSize(this.input.durationMs * COPY_SHARE);
      this.windows.set(chainId, window);
    }
    return window;
  }
}

/** What is not in the tables of a range, besides what every block has. */
function missingOf({ isTraced, hasAtomic }: CoveredRange): MissingRows[] {
  return [...(isTraced ? [] : (['untraced'] as const)), ...(hasAtomic ? [] : (['withoutAtomic'] as const))];
}

interface ChainBegin {
  readonly chain: EvmChain;
  readonly finder: HeightFinder;
  readonly fromHeight: bigint;
}

type ChainEnd = ChainBegin & FoundHeight;

/** First height behind a slice. */
async function endOf(begin: ChainBegin, timeSeconds: number): Promise<ChainEnd> {
  const isOver = timeSeconds * 1000 <= Date.now();
  const { finder } = begin;
  return { ...begin, ...(await (isOver ? finder.find(timeSeconds) : finder.findAhead(timeSeconds))) };
}

function beforeChain(chain: EvmChain, firstDate: Day): string {
  return `${nameOf(chain)}: its first block is later than ${firstDate}`;
}

function nameOf({ name, chainId }: EvmChain): string {
  return `${name} (${chainId})`;
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
