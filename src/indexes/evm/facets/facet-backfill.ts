import { setTimeout as delay } from 'node:timers/promises';
import { EvmError, malformed } from '../../../avalanche/evm/evm.error.js';
import type { EvmChain } from '../../../platform/evm-chains/evm-chain.js';
import { secondsFor } from '../../engine/following/chain-follower.js';
import { blocksText } from '../../engine/progress/blocks-text.js';
import {
  ASK_AGAIN_AFTER_MS,
  completeRanges,
  findOpenHeights,
  type OpenHeights,
} from '../../engine/coverage/coverage.js';
import type { CoverageByFacet } from '../../engine/coverage/coverage.repository.js';
import { countHeights, type HeightRange, subtract } from '../../engine/coverage/height-range.js';
import { IndexError } from '../../engine/following/index.error.js';
import {
  type AdvanceRequest,
  IDLE_POLLS,
  type Indexer,
  type IndexerProgress,
} from '../../engine/following/indexer.js';
import { isNodeError, NodeFailure, verdict } from '../../engine/following/node-failure.js';
import type { Survey } from '../../engine/following/node-pool.js';
import { RateMeter } from '../../engine/following/rate-meter.js';
import { WriteBehind } from '../../engine/following/write-behind.js';
import type { ReadLimits } from '../sources/block-reader.js';
import type { ChainRecord } from './chain-records.js';
import type { Checkpoint } from './checkpoint.js';
import type { EvmNode } from '../sources/evm-node.js';
import { type FacetSource, type FacetTarget, inPlace } from './facet-source.js';
import type { EvmStore } from './followed-evm-chain.js';
import { NodeAbilities } from '../sources/node-abilities.js';

/** After this time it is looked whether newer heights are missing. */
const TURN_MS = 10_000;

/** Nodes behind one address are a few blocks apart: what one of them does not have yet is no reason to complain at once. */
const PATIENCE_MS = 10_000;

const WARN_EVERY_MS = 600_000;

interface Outlook extends OpenHeights, Pick<ChainRecord, 'checkpoint' | 'changes'> {
  /** How many heights are left to do. */
  readonly left: bigint;
  /** How many are there. */
  readonly complete: bigint;
  readonly highest: bigint | undefined;
}

/** Fills in what one facet of a chain lacks, the newest first. What no node has is remembered, and stepped over. */
export class FacetBackfill implements Indexer {
  private readonly abilities = new NodeAbilities<EvmNode>();
  /** The node that worked last is asked first of those that are able. */
  private preferred: EvmNode | undefined;
  private warnedAt = -Infinity;
  /** Outdated, and to be left alone for a while. */
  private passedOver: readonly (HeightRange & { readonly until: number })[] = [];

  constructor(
    private readonly chain: EvmChain,
    private readonly store: EvmStore,
    private readonly source: FacetSource,
    private readonly pollMs: number,
    private readonly warn: (text: string) => void,
  ) {}

  async advance({ durationMs, signal, onProgress }: AdvanceRequest): Promise<IndexerProgress> {
    const until = performance.now() + durationMs;
    this.source.nodes.forget();
    const meter = new RateMeter();
    let hindered: { since: number } | undefined;
    try {
      for (;;) {
        signal.throwIfAborted();
        const outlook = await this.look();
        meter.add(outlook.complete);
        const progress = describe(outlook, meter.blocksPerSecond, this.source.waitsFor);
        onProgress(progress);
        const leftMs = until - performance.now();
        if (leftMs <= 0) return progress;
        const turn = { until: Math.min(until, performance.now() + TURN_MS), signal };
        let isIdle = false;
        try {
          const outcome = await this.work(outlook, turn);
          hindered = undefined;
          if (outcome === 'filled') continue;
          if (this.isHelper) return progress;
          isIdle = outcome === 'idle';
        } catch (error) {
          hindered ??= { since: performance.now() };
          if (!mayPass(error) || performance.now() - hindered.since > PATIENCE_MS) throw error;
        }
        await delay(Math.min(this.pollMs, leftMs), undefined, { signal });
        if (isIdle) await this.sleep(outlook, until, signal);
      }
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      await this.source.history?.release();
    }
  }

  forget(): void {
    this.source.forget?.();
    this.source.wiped?.();
  }

  private async work(outlook: Outlook, turn: ReadLimits): Promise<'filled' | 'busy otherwise' | 'idle'> {
    const { checkpoint } = outlook;
    if (checkpoint === undefined) return 'idle';
    const target = await this.chooseTarget(outlook, checkpoint, turn.signal);
    if (target === 'worked') return 'filled';
    if (target === undefined && this.isHelper) return 'idle';
    if (target === undefined) return (await this.idle(turn.signal)) ? 'busy otherwise' : 'idle';
    await this.fill(target, target.range, checkpoint, turn);
    return 'filled';
  }

  private get isHelper(): boolean {
    return this.source.history?.isHelper === true;
  }

  /** The newest first, then what an older decoder made, then what nobody had for long enough to ask again. */
  private async chooseTarget(
    outlook: Outlook,
    checkpoint: Checkpoint,
    signal: AbortSignal,
  ): Promise<FacetTarget | 'worked' | undefined> {
    const { missing, outdated, due } = outlook;
    if (this.source.history !== undefined) return this.source.history.next(outlook, checkpoint, signal);
    const range = missing.at(-1) ?? outdated.at(-1) ?? due.at(-1);
    return range && inPlace(this.chain, this.store, this.source.facet, range);
  }

  private async idle(signal: AbortSignal): Promise<boolean> {
    try {
      return (await this.source.idle?.(signal)) ?? false;
    } catch (error) {
      signal.throwIfAborted();
      if (!isNodeError(error)) throw error;
      this.warn(error.message);
      return false;
    }
  }

  private async sleep({ changes }: Outlook, until: number, signal: AbortSignal): Promise<void> {
    const maxMs = Math.min((IDLE_POLLS - 1) * this.pollMs, until - performance.now());
    await this.store.writer.changes.wait(this.chain, changes, { maxMs, signal });
  }

  private async look(): Promise<Outlook> {
    const { records } = this.store;
    const outlook = await this.measure(await records.get(this.chain));
    // Other workers may have made some of it meanwhile.
    if (this.source.history === undefined || outlook.left === 0n) return outlook;
    return this.measure(await records.readNow(this.chain));
  }

  private async measure({ checkpoint, coverage, changes }: ChainRecord): Promise<Outlook> {
    const { facet } = this.source;
    const ranges = coverage.get(facet.name) ?? [];
    const wanted = checkpoint === undefined ? [] : await this.wanted(checkpoint, coverage);
    const { version } = facet;
    const open = findOpenHeights(ranges, wanted, { version, now: Date.now() });
    this.passedOver = this.passedOver.filter(({ until }) => until > performance.now());
    const outdated = open.outdated.flatMap((range) => subtract(range, this.passedOver));
    const count = countHeights([...open.missing, ...outdated]);
    const built = count === 0n ? 0n : ((await this.source.history?.countBuilt()) ?? 0n);
    return {
      ...open,
      outdated,
      checkpoint,
      left: leftOf(count, built),
      complete: countHeights(completeRanges(ranges)) + built,
      changes,
      highest: wanted.at(-1)?.to,
    };
  }

  private async wanted(checkpoint: Checkpoint, coverage: CoverageByFacet): Promise<readonly HeightRange[]> {
    const { ground } = this.source.facet;
    if (ground === undefined) return (await this.source.wanted?.(checkpoint)) ?? [];
    return completeRanges(coverage.get(ground) ?? []);
  }

  /** With the first node that can; what none of them has is put on record. */
  private async fill(
    target: FacetTarget,
    range: HeightRange,
    checkpoint: Checkpoint,
    context: ReadLimits,
  ): Promise<void> {
    const failures = new Map<EvmNode, NodeFailure>();
    const tryAll = async (nodes: readonly EvmNode[]): Promise<boolean> => {
      for (const node of nodes) {
        if (failures.has(node)) continue;
        const outcome = await this.tryToCopy(node, { ...target, range }, checkpoint, context);
        if (outcome === 'moved') return true;
        failures.set(node, outcome);
      }
      return false;
    };
    const active = await this.survey(range, checkpoint, context.signal);
    if (await tryAll(this.inOrder(active, range.to).filter((node) => this.mayHave(node, range.to)))) return;
    // That a node which failed lately could not be asked does not mean that it has nothing.
    const survey = await this.survey(range, checkpoint, context.signal, 'everybody');
    const nodes = this.inOrder(survey, range.to);
    if (await tryAll(nodes.filter((node) => this.mayHave(node, range.to)))) return;
    const isNowhere = (): boolean =>
      survey.problems.length === 0 && [...failures.values()].every(isUnavailable);
    // Those that are expected to lack it are asked only when their answer decides.
    if (isNowhere() && (await tryAll(nodes))) return;
    if (!isNowhere()) throw this.obstacle([...failures.values()], survey);
    const has = (height: bigint): Promise<boolean> => this.hasAnywhere(nodes, height, context.signal);
    const isEndThere = await has(range.to);
    const from = await findEdge(range, async (height) => (await has(height)) === isEndThere);
    const stretch = { from, to: range.to };
    if (!isEndThere) return this.stepOver(target, stretch);
    // Of the first batch only its lower part was missing. What is there must be readable then.
    if (from === range.from) throw this.obstacle([...failures.values()], survey);
    return this.fill(target, stretch, checkpoint, context);
  }

  private inOrder({ usable }: Survey<EvmNode>, height: bigint): EvmNode[] {
    const nodes = usable.map(({ node }) => node);
    const preferredFirst = nodes.toSorted(
      (a, b) => Number(b === this.preferred) - Number(a === this.preferred),
    );
    return this.abilities.inOrder(preferredFirst, height);
  }

  private mayHave(node: EvmNode, height: bigint): boolean {
    return this.abilities.expect(node, height) !== 'unable';
  }

  /** Something was written, or why nothing was. */
  private async tryToCopy(
    node: EvmNode,
    { range, findBlock, write }: FacetTarget,
    checkpoint: Checkpoint,
    context: ReadLimits,
  ): Promise<'moved' | NodeFailure> {
    const writing = new WriteBehind();
    let next = range.to;
    try {
      for await (const batch of this.source.read(node, range, checkpoint, context, findBlock)) {
        const { from = next } = batch.facets[0] ?? {};
        if (batch.isAsked !== false) this.abilities.noteSuccess(node, from);
        next = from - 1n;
        await writing.begin(() => write(batch));
      }
      await writing.settle();
      // As of one of several nodes behind an address, which is some blocks behind the others.
      if (next === range.to && performance.now() < context.until) return notYet(node, next);
      this.preferred = node;
      this.source.nodes.noteSuccess(node);
      return 'moved';
    } catch (error) {
      this.source.forget?.();
      await writing.settle();
      context.signal.throwIfAborted();
      const failure = NodeFailure.of(node, error);
      if (failure === undefined) throw error;
      if (isUnavailable(failure)) {
        this.abilities.noteLack(node, next);
      } else {
        this.source.nodes.noteFailure(node);
        this.warn(String(failure));
      }
      return next < range.to ? 'moved' : failure;
    }
  }

  private obstacle(failures: readonly NodeFailure[], survey: Survey<EvmNode>): Error {
    // A node that lacks old blocks proves nothing against those that another node has.
    const answering = failures.filter((failure) => !isUnavailable(failure));
    if (answering.length > 0) return verdict(answering, survey);
    const texts = [...failures.map(({ text }) => text), ...survey.problems];
    return new IndexError('NO_USABLE_NODE', texts.join('; '));
  }

  /** Whether a person is needed because all nodes are on another chain is for the index of the tip to decide. */
  private async survey(
    { to: height }: HeightRange,
    { genesisHash }: Checkpoint,
    signal: AbortSignal,
    whom: 'active' | 'everybody' = 'active',
  ): Promise<Survey<EvmNode>> {
    try {
      // A node that is some blocks behind the tip has the older ones, too.
      return await this.source.nodes.survey({ height, hash: null, genesisHash }, signal, whom);
    } catch (error) {
      if (!(error instanceof IndexError)) throw error;
      throw new IndexError('NO_USABLE_NODE', error.message, { cause: error });
    }
  }

  private async hasAnywhere(
    nodes: readonly EvmNode[],
    height: bigint,
    signal: AbortSignal,
  ): Promise<boolean> {
    for (const node of this.abilities.inOrder(nodes, height)) {
      if (await this.source.has(node, height, signal)) {
        this.abilities.noteSuccess(node, height);
        return true;
      }
      this.abilities.noteLack(node, height);
    }
    return false;
  }

  /** Blocks that are recorded as missing are asked for again later. */
  private async stepOver(target: FacetTarget, hole: HeightRange): Promise<void> {
    const { facet } = this.source;
    // Where no node has a tracer it is so with every new block; how many there are is in the progress.
    if (performance.now() - this.warnedAt > WARN_EVERY_MS) {
      this.warn(`no node has the ${facet.name} of blocks ${hole.from} to ${hole.to}`);
      this.warnedAt = performance.now();
    }
    this.passedOver = [...this.passedOver, { ...hole, until: performance.now() + ASK_AGAIN_AFTER_MS }];
    await target.skip(hole);
  }
}

/** Heights that are made beside the tables are not there yet. */
function leftOf(open: bigint, built: bigint): bigint {
  if (open === 0n) return 0n;
  return open > built ? open - built : 1n;
}

/**
 * How far down from the end of a range something holds that holds there: in growing steps, then by bisection. Exceptions within
 * a step may go unnoticed.
 */
async function findEdge(
  { from, to }: HeightRange,
  holds: (height: bigint) => Promise<boolean>,
): Promise<bigint> {
  let edge = to;
  let beyond = from - 1n;
  for (let step = 1n; edge > from; step *= 2n) {
    const height = edge - step > from ? edge - step : from;
    if (await holds(height)) {
      edge = height;
    } else {
      beyond = height;
      break;
    }
  }
  while (edge - beyond > 1n) {
    const middle = (edge + beyond) / 2n;
    if (await holds(middle)) edge = middle;
    else beyond = middle;
  }
  return edge;
}

/** Errors that nodes cause, and do not agree on. */
function mayPass(error: unknown): boolean {
  return isNodeError(error) || (error instanceof IndexError && error.code === 'NO_USABLE_NODE');
}

function notYet(node: EvmNode, height: bigint): NodeFailure {
  return new NodeFailure(node, malformed(`the node gives nothing of block ${height}, which it says it has`));
}

function isUnavailable({ cause }: NodeFailure): boolean {
  return cause instanceof EvmError && cause.code === 'BLOCK_UNAVAILABLE';
}

function describe(
  { checkpoint, left, unavailable, highest }: Outlook,
  blocksPerSecond: number,
  waitsFor: string | undefined,
): IndexerProgress {
  const tip = highest ?? null;
  if (checkpoint === undefined) {
    const message = 'the index of the chain has not begun yet';
    return { state: 'waiting', height: -1n, tip, blocksPerSecond, secondsLeft: null, message };
  }
  const messages = [
    ...(left === 0n ? [] : [`${blocksText(left)} to go`]),
    ...(unavailable.length === 0 ? [] : [`${blocksText(countHeights(unavailable))} that no node has`]),
    ...(waitsFor === undefined ? [] : [waitsFor]),
  ];
  return {
    state: 'running',
    // As if the heights came in order: at the tip when nothing is left.
    height: (highest ?? -1n) - left,
    tip,
    blocksPerSecond,
    secondsLeft: secondsFor(left, blocksPerSecond),
    message: messages.length === 0 ? null : messages.join('; '),
  };
}
