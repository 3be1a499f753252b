import { setTimeout as delay } from 'node:timers/promises';
import type { TraceSource } from '../avalanche/evm/block-tracer.js';
import { EvmError } from '../avalanche/evm/evm.error.js';
import type { EvmChain } from '../evm-chains/evm-chain.js';
import { IndexError } from '../indexing/index.error.js';
import type { AdvanceRequest, Indexer, IndexerOptions, IndexerProgress } from '../indexing/indexer.js';
import { isNodeError, NodeFailure } from '../indexing/node-failure.js';
import type { NodeAtTip, Survey } from '../indexing/node-pool.js';
import { RateMeter } from '../indexing/rate-meter.js';
import { BatchReader, type ReadBatch, type Segment } from './batch-reader.js';
import { advance, type Checkpoint, type Origin } from './checkpoint.js';
import type { EvmIndexRepository } from './evm-index.repository.js';
import type { EvmNode, EvmNodes, EvmPosition } from './evm-node.js';
import type { EvmWriter } from './evm-writer.js';
import { countIndexed, countMissing, lowestGap } from './ranges.js';
import { TokenReader } from './token-reader.js';

/** A start that is no further below the tip than this is where the index begins; from others it comes to the tip at last. */
const NEAR_BLOCKS = 10_000n;
/** How long older blocks are read before the tip is looked at again. */
const BACKFILL_TURN_MS = 3_000;
/** Older blocks that no node can tell are asked for again after this, twice as long after each failure in a row. */
const FIRST_BACKFILL_REST_MS = 15_000;
const MAX_BACKFILL_REST_MS = 300_000;

export interface EvmStore {
  readonly repository: EvmIndexRepository;
  readonly writer: EvmWriter;
}

interface ReadContext {
  /** No further batch is begun after this time. */
  readonly until: number;
  readonly signal: AbortSignal;
  /** Called after each batch that was written. */
  readonly report: () => unknown;
}

/**
 * Reads one EVM chain from its nodes into the database: follows the tip from where it began, and with the time that is left
 * fills in what is missing below, from the configured start on.
 */
export class EvmIndexer implements Indexer {
  private checkpoint: Checkpoint | null = null;
  private readonly tokens: TokenReader;
  private readonly reader: BatchReader;
  private backfillRest: { until: number; failures: number; reason: string } | undefined;

  constructor(
    private readonly chain: EvmChain,
    private readonly store: EvmStore,
    private readonly nodes: EvmNodes,
    tracer: TraceSource,
    private readonly options: IndexerOptions,
    private readonly warn: (text: string) => void,
  ) {
    this.tokens = new TokenReader(store.repository, chain);
    this.reader = new BatchReader(chain, this.tokens, tracer, options.batchBlocks);
  }

  async advance(request: AdvanceRequest): Promise<IndexerProgress> {
    try {
      return await this.follow(request);
    } catch (error) {
      request.signal.throwIfAborted();
      throw error;
    }
  }

  /** Drops what it remembers, e.g. because the rows were wiped. */
  forget(): void {
    this.checkpoint = null;
    this.backfillRest = undefined;
    this.tokens.forget();
  }

  private async follow({ durationMs, signal, onProgress }: AdvanceRequest): Promise<IndexerProgress> {
    const until = Date.now() + durationMs;
    this.nodes.forget();
    await this.load();
    const meter = new RateMeter();
    this.measure(meter);
    for (;;) {
      signal.throwIfAborted();
      const survey = await this.nodes.survey(this.position(), signal);
      const report = (): IndexerProgress => {
        this.measure(meter);
        const progress = this.describe(survey, meter.blocksPerSecond);
        onProgress(progress);
        return progress;
      };
      const hasWorked = await this.work(survey, { until, signal, report });
      const progress = report();
      if (Date.now() >= until) return progress;
      if (!hasWorked) {
        await delay(Math.min(this.options.pollMs, until - Date.now()), undefined, { signal });
      }
    }
  }

  /** New blocks if there are any, older ones otherwise; false when there was nothing to do. */
  private async work(survey: Survey<EvmNode>, context: ReadContext): Promise<boolean> {
    const { checkpoint } = this;
    if (checkpoint === null) return this.begin(survey, context);
    const ahead = survey.usable.filter(({ tip }) => tip > checkpoint.height);
    if (ahead.length > 0) {
      const from = checkpoint.height + 1n;
      await this.readFromAny(
        ahead,
        (tip) => ({ from, to: tip, parent: checkpoint, next: undefined }),
        checkpoint,
        context,
      );
      return true;
    }
    return survey.usable.length > 0 && this.backfill(survey.usable, checkpoint, context);
  }

  /** The first blocks of a chain. False while it has not come to its start. */
  private async begin({ usable }: Survey<EvmNode>, context: ReadContext): Promise<boolean> {
    const [best] = usable;
    if (best === undefined) return false;
    const from = this.startAt(best.tip);
    if (from > best.tip) return false;
    const genesisHash = await this.nodes.askAny((node) => node.hashAt(0n, context.signal), context.signal);
    const origin = { genesisHash: genesisHash ?? null, firstHeight: from };
    await this.readFromAny(
      usable,
      (tip) => ({ from, to: tip, parent: undefined, next: undefined }),
      origin,
      context,
    );
    return true;
  }

  private startAt(tip: bigint): bigint {
    const { startHeight } = this.chain;
    if (startHeight === 'tip') return tip;
    return startHeight > tip || tip - startHeight <= NEAR_BLOCKS ? startHeight : tip;
  }

  /** The lowest heights that are missing. What keeps it from going on keeps nobody from following the tip. */
  private async backfill(
    candidates: readonly NodeAtTip<EvmNode>[],
    checkpoint: Checkpoint,
    context: ReadContext,
  ): Promise<boolean> {
    const gap = lowestGap(checkpoint.ranges, this.firstWanted(checkpoint));
    if (gap === undefined || (this.backfillRest?.until ?? 0) > Date.now()) return false;
    const [parent, next] = await Promise.all([this.blockAt(gap.from - 1n), this.blockAt(gap.to + 1n)]);
    const until = Math.min(context.until, Date.now() + BACKFILL_TURN_MS);
    try {
      const segment = { ...gap, parent, next };
      await this.readFromAny(candidates, () => segment, checkpoint, { ...context, until });
      this.backfillRest = undefined;
      return true;
    } catch (error) {
      if (!(error instanceof IndexError) || error.code !== 'NO_USABLE_NODE') throw error;
      this.restFromBackfill(error.message);
      return false;
    }
  }

  private restFromBackfill(reason: string): void {
    const failures = (this.backfillRest?.failures ?? 0) + 1;
    const restMs = Math.min(MAX_BACKFILL_REST_MS, FIRST_BACKFILL_REST_MS * 2 ** (failures - 1));
    this.backfillRest = { until: Date.now() + restMs, failures, reason };
  }

  /** Reads with the first node that can. What it got is written, also when this throws. */
  private async readFromAny(
    candidates: readonly NodeAtTip<EvmNode>[],
    segmentUpTo: (tip: bigint) => Segment,
    origin: Checkpoint | Origin,
    context: ReadContext,
  ): Promise<void> {
    const failures: NodeFailure[] = [];
    const tried = new Set<EvmNode>();
    const before = this.checkpoint;
    let untried = candidates;
    while (untried.length > 0) {
      for (const { node, tip } of untried) {
        tried.add(node);
        try {
          await this.copy(node, segmentUpTo(tip), origin, context);
          this.nodes.noteSuccess(node);
          return;
        } catch (error) {
          context.signal.throwIfAborted();
          if (!isNodeError(error)) throw error;
          const failure = new NodeFailure(node, error);
          this.nodes.noteFailure(node);
          this.warn(failure.text);
          failures.push(failure);
          if (this.checkpoint !== before) return; // the others go on from there
        }
      }
      // Also those that failed lately, and those that failed just now: can they still tell our own last block?
      const everybody = await this.nodes.survey(this.position(), context.signal, 'everybody');
      untried = everybody.usable.filter(({ node, tip }) => !tried.has(node) && tip >= segmentUpTo(tip).from);
      if (untried.length === 0) throw verdict(failures, everybody);
    }
  }

  /** Writes a node's blocks, one batch while the next one is read. */
  private async copy(
    node: EvmNode,
    segment: Segment,
    origin: Checkpoint | Origin,
    context: ReadContext,
  ): Promise<void> {
    let writing: Promise<void> = Promise.resolve();
    try {
      for await (const batch of this.reader.read(node, segment, context)) {
        await writing;
        writing = this.write(batch, this.checkpoint ?? origin).then(() => void context.report());
        writing.catch(() => undefined); // looked at by the next one
      }
      await writing;
    } catch (error) {
      this.tokens.forget(); // what was read and not written must be read again
      // Nothing may still be written when the next attempt, here or in another process, reads the checkpoint.
      await writing;
      throw error;
    }
  }

  private async write({ blocks, tokens }: ReadBatch, origin: Checkpoint | Origin): Promise<void> {
    const before = this.checkpoint;
    const after = advance(origin, blocks);
    await this.store.writer.write({ chain: this.chain, before, after, blocks, tokens });
    this.checkpoint = after;
  }

  /** The checkpoint on record: another process may have written since. */
  private async load(): Promise<void> {
    const checkpoint = await this.store.repository.findCheckpoint(this.chain);
    if (checkpoint === null) this.forget();
    this.checkpoint = checkpoint;
  }

  private async blockAt(height: bigint): Promise<{ height: bigint; hash: `0x${string}` } | undefined> {
    const hash = height < 0n ? undefined : await this.store.repository.findBlockHash(this.chain, height);
    return hash === undefined ? undefined : { height, hash };
  }

  private position(): EvmPosition {
    return this.checkpoint ?? { height: -1n, hash: null, genesisHash: null };
  }

  private firstWanted({ firstHeight }: Checkpoint): bigint {
    const { startHeight } = this.chain;
    return startHeight === 'tip' ? firstHeight : startHeight;
  }

  private measure(meter: RateMeter): void {
    meter.add(countIndexed(this.checkpoint?.ranges ?? []));
  }

  private describe(survey: Survey<EvmNode>, blocksPerSecond: number): IndexerProgress {
    const { checkpoint } = this;
    const height = checkpoint?.height ?? -1n;
    const waiting = (message: string): IndexerProgress => ({
      state: 'waiting',
      height,
      tip: survey.tip ?? null,
      blocksPerSecond,
      secondsLeft: null,
      message,
    });
    if (survey.usable.length === 0) return waiting(survey.problems.join('; '));
    if (checkpoint === null)
      return waiting(`the chain has not come to its start ${this.chain.startHeight} yet`);
    const tip = survey.tip !== undefined && survey.tip > height ? survey.tip : height;
    const missing = countMissing(checkpoint.ranges, this.firstWanted(checkpoint));
    return {
      state: 'running',
      height,
      tip,
      blocksPerSecond,
      secondsLeft: secondsFor(tip - height + missing, blocksPerSecond),
      message: missing === 0n ? null : this.describeBackfill(missing, height),
    };
  }

  private describeBackfill(missing: bigint, height: bigint): string {
    const text = `backfilling: ${missing.toLocaleString('en-US')} blocks below ${height.toLocaleString('en-US')} to go`;
    return this.backfillRest === undefined ? text : `${text}; waiting: ${this.backfillRest.reason}`;
  }
}

function secondsFor(blocks: bigint, blocksPerSecond: number): number | null {
  if (blocks === 0n) return 0;
  return blocksPerSecond > 0 ? Math.ceil(Number(blocks) / blocksPerSecond) : null;
}

/** Whether a person is needed: only when every node was asked, and what all of them show does not continue what we have. */
function verdict(failures: readonly NodeFailure[], everybody: Survey<EvmNode>): IndexError {
  const texts = [...failures.map(({ text }) => text), ...everybody.problems];
  const contradicts = ({ cause }: NodeFailure): boolean =>
    cause instanceof EvmError && cause.code === 'WRONG_PARENT';
  const isUnanimous = failures.every(contradicts) && everybody.problems.length === 0;
  return new IndexError(isUnanimous ? 'FOREIGN_CHAIN' : 'NO_USABLE_NODE', texts.join('; '), {
    cause: failures.at(-1),
  });
}
