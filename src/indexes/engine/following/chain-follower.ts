import { setTimeout as delay } from 'node:timers/promises';
import type { AdvanceRequest, Indexer, IndexerProgress } from './indexer.js';
import { inStep } from '../../../platform/in-step.js';
import { isLate, NodeFailure, verdict } from './node-failure.js';
import type { ChainNode, NodeAtTip, NodePool, Survey } from './node-pool.js';
import { RateMeter } from './rate-meter.js';

/** A block that was announced is waited for this long before it is a failure that no node gives it. */
const PATIENCE_MS = 30_000;

/** A chain without a new block for so long is looked at half as often: most L1s rest most of the time. */
const QUIET_AFTER_MS = 60_000;
const QUIET_POLLS = 2;

/** So many blocks leave much behind for autovacuum, which is in their way, and comes when it comes: until then first pages are slow. */
const MANY_BLOCKS = 50_000n;

export interface ReadContext {
  /** No further batch is begun after this time. */
  readonly until: number;
  readonly signal: AbortSignal;
  /** Called after each batch that was written. */
  readonly report: () => unknown;
}

/** One chain of a kind, as far as following it is concerned: how it is read, and what is on record of it. */
export interface FollowedChain<Position extends { readonly height: bigint }, Node> {
  /** Brings what is in memory to what is on record: another process may have written since. Throws as `copy` does. */
  open(signal: AbortSignal): Promise<void>;
  /** Drops what is in memory, e.g. because the rows were wiped. */
  forget(): void;
  /** The recorded tip, for nodes to prove that they have it, too. */
  readonly position: Position;
  /**
   * Reads a node's blocks above the position and writes them; what was written counts, also when this throws.
   * Throws NodeFailure, RpcError, EvmError or PlatformVmError for what another node may do better.
   */
  copy(at: NodeAtTip<Node>, context: ReadContext): Promise<void>;
  /** While many blocks come at a stretch: the order of the tables can wait for `settle`. */
  hasten?(): Promise<void>;
  /** False from `hasten` until `settle`, whichever processes they are of. */
  isSettled?(): Promise<boolean>;
  /** Puts the tables in order after many blocks have come at a stretch. */
  settle(signal: AbortSignal): Promise<void>;
  /** Why nothing is to be done although the tip is not reached; undefined as a rule. */
  readonly waitsFor?: string | undefined;
  /** Further remarks for the progress report. */
  readonly notice?: string | undefined;
}

/** Keeps a chain at its tip, with whichever of its nodes can be read. */
export class ChainFollower<
  Position extends { readonly height: bigint },
  Node extends ChainNode<Position>,
> implements Indexer {
  /** The height above which no node gave a block that it had announced, and since when. */
  private late: { readonly height: bigint; readonly since: number } | undefined;

  /** How many blocks have come since it was at the tip. Not how many are announced: a node that lies about them causes no work. */
  private unsettled = 0n;
  private hastening: Promise<void> | undefined;
  private settling: Promise<void> | undefined;
  /** When a block came last, as far as this process knows. */
  private movedAt = performance.now();

  constructor(
    private readonly chain: FollowedChain<Position, Node>,
    private readonly nodes: NodePool<Position, Node>,
    private readonly pollMs: number,
    private readonly warn: (text: string) => void,
  ) {}

  async advance(request: AdvanceRequest): Promise<IndexerProgress> {
    const ended = new AbortController();
    try {
      return await this.follow(request, AbortSignal.any([request.signal, ended.signal]));
    } catch (error) {
      request.signal.throwIfAborted();
      throw error;
    } finally {
      ended.abort();
      await this.settling;
    }
  }

  forget(): void {
    this.chain.forget();
  }

  /** `whileHere`: for what goes on beside it. */
  private async follow(
    { durationMs, signal, onProgress }: AdvanceRequest,
    whileHere: AbortSignal,
  ): Promise<IndexerProgress> {
    const until = performance.now() + durationMs;
    this.nodes.forget();
    await this.chain.open(signal);
    if ((await this.chain.isSettled?.()) === false) this.unsettled = MANY_BLOCKS;
    let seen = this.chain.position.height;
    // Begins with the first batch: what came before, as finding the tip, does not come again.
    const meter = new RateMeter();
    for (;;) {
      signal.throwIfAborted();
      const { height } = this.chain.position;
      const survey = await this.nodes.survey(this.chain.position, signal);
      const report = (): IndexerProgress => {
        meter.add(this.chain.position.height);
        const progress = this.describe(survey, meter.blocksPerSecond);
        this.unsettled += progress.height - seen;
        seen = progress.height;
        if (progress.secondsLeft !== 0 && this.unsettled >= MANY_BLOCKS) this.hastening ??= this.hasten();
        onProgress(progress);
        return progress;
      };
      const ahead = survey.usable.filter(({ tip }) => tip > height);
      if (ahead.length > 0) await this.catchUp(ahead, { until, signal, report });
      const progress = report();
      if (progress.secondsLeft === 0) this.settling ??= this.settle(whileHere);
      if (performance.now() >= until) return progress;
      // Also when a node announced a block that it does not give: another one behind the same address may be late.
      if (this.chain.position.height === height) {
        const polls = performance.now() - this.movedAt < QUIET_AFTER_MS ? 1 : QUIET_POLLS;
        await delay(inStep(Math.min(polls * this.pollMs, until - performance.now())), undefined, { signal });
      } else {
        this.movedAt = performance.now();
      }
    }
  }

  /** Beside the blocks. Nothing but time depends on it. */
  private async hasten(): Promise<void> {
    try {
      await this.chain.hasten?.();
    } catch (error) {
      this.warn(`far behind, and slow: ${String(error)}`);
    }
  }

  /** Beside new blocks: of large tables it takes minutes. What is cut off comes again. */
  private async settle(signal: AbortSignal): Promise<void> {
    try {
      await this.hastening;
      this.hastening = undefined;
      if (this.unsettled >= MANY_BLOCKS) await this.chain.settle(signal);
      this.unsettled = 0n;
    } catch (error) {
      if (!signal.aborted) this.warn(`the tables are not in order: ${String(error)}`);
    } finally {
      this.settling = undefined;
    }
  }

  /** Reads with the first node that can be read. Does nothing while those that announced blocks may only be late with them. */
  private async catchUp(ahead: readonly NodeAtTip<Node>[], context: ReadContext): Promise<void> {
    const { height } = this.chain.position;
    const failures: NodeFailure[] = [];
    const tried = new Set<Node>();
    for (let candidates = ahead; candidates.length > 0;) {
      for (const candidate of candidates) {
        tried.add(candidate.node);
        const failure = await this.tryToCopy(candidate, context);
        if (failure === undefined) return;
        failures.push(failure);
        await this.chain.open(context.signal);
        if (this.chain.position.height > height) return; // the others go on from there
      }
      // Also those that failed lately, and those that failed just now: do they still have our own last block?
      const everybody = await this.nodes.survey(this.chain.position, context.signal, 'everybody');
      candidates = everybody.usable.filter(({ node, tip }) => !tried.has(node) && tip > height);
      if (candidates.length > 0) continue;
      if (failures.every(({ cause }) => isLate(cause)) && this.isPatient(height)) return;
      throw verdict(failures, everybody);
    }
  }

  private isPatient(height: bigint): boolean {
    if (this.late?.height !== height) this.late = { height, since: performance.now() };
    if (performance.now() - this.late.since <= PATIENCE_MS) return true;
    this.late = undefined; // the next attempt has as much patience
    return false;
  }

  private async tryToCopy(at: NodeAtTip<Node>, context: ReadContext): Promise<NodeFailure | undefined> {
    try {
      await this.chain.copy(at, context);
      this.nodes.noteSuccess(at.node);
      return undefined;
    } catch (error) {
      context.signal.throwIfAborted();
      const failure = NodeFailure.of(at.node, error);
      if (failure === undefined) throw error;
      // The one that is asked next behind the same address may have the block: nothing to report, and nothing to avoid it for.
      if (isLate(failure.cause)) return failure;
      this.nodes.noteFailure(at.node);
      this.warn(String(failure));
      return failure;
    }
  }

  private describe(survey: Survey<Node>, blocksPerSecond: number): IndexerProgress {
    const { height } = this.chain.position;
    const obstacle = survey.usable.length === 0 ? survey.problems.join('; ') : this.chain.waitsFor;
    if (obstacle !== undefined) {
      const tip = survey.tip ?? null;
      return { state: 'waiting', height, tip, blocksPerSecond, secondsLeft: null, message: obstacle };
    }
    const tip = survey.tip !== undefined && survey.tip > height ? survey.tip : height;
    const secondsLeft = secondsFor(tip - height, blocksPerSecond);
    const message = this.chain.notice ?? null;
    const [source] = survey.usable.map(({ node }) => sourceOf(node));
    return { state: 'running', height, tip, blocksPerSecond, secondsLeft, source, message };
  }
}

function sourceOf({ name, standing }: ChainNode<never>): string {
  return standing === undefined ? name : `${name} (${standing})`;
}

/** Null when it is not known. */
export function secondsFor(blocks: bigint, blocksPerSecond: number): number | null {
  if (blocks === 0n) return 0;
  return blocksPerSecond > 0 ? Math.ceil(Number(blocks) / blocksPerSecond) : null;
}
