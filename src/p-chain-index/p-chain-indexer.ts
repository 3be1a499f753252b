import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { loadGenesis } from '../avalanche/platformvm/genesis/genesis.js';
import { PlatformVmError } from '../avalanche/platformvm/platformvm.error.js';
import {
  knownUpgrades,
  upgradeDifference,
  type UpgradeTimes,
} from '../avalanche/platformvm/state/upgrade-times.js';
import { RpcError } from '../avalanche/rpc/rpc.error.js';
import { IndexError, mustStop } from '../indexing/index.error.js';
import { BlockRefusedError, type ChainStore, IndexedChain } from './indexed-chain.js';
import type { AdvanceRequest, Indexer, IndexerOptions, IndexerProgress } from '../indexing/indexer.js';
import { type NodeError, NodeFailure } from '../indexing/node-failure.js';
import type { NodeAtTip, Survey } from '../indexing/node-pool.js';
import { RateMeter } from '../indexing/rate-meter.js';
import type { Checkpoint } from './p-chain-state.repository.js';
import type { PChainNode, PChainNodes } from './sources/p-chain-node.js';

/** Other work of this process (signatures, heartbeats) waits no longer than this for blocks to be applied. */
const MAX_TURN_MS = 10;
/** Also a slow node's blocks are on record after this time. */
const MAX_BATCH_MS = 5_000;

interface ReadContext {
  /** Reading ends at the next block after this time. */
  readonly until: number;
  readonly signal: AbortSignal;
  /** Called after each batch that was written. */
  readonly report: () => unknown;
}

/** Reads one network's P-chain from its nodes into the database, from wherever the database says it stands. */
export class PChainIndexer implements Indexer {
  private chain: IndexedChain | null = null;

  constructor(
    private readonly store: ChainStore,
    private readonly nodes: PChainNodes,
    private readonly options: IndexerOptions,
    private readonly warn: (text: string) => void,
  ) {}

  async advance(request: AdvanceRequest): Promise<IndexerProgress> {
    try {
      return await this.follow(request);
    } catch (error) {
      request.signal.throwIfAborted();
      throw error;
    }
  }

  /** Drops the state in memory, e.g. because the rows were wiped. */
  forget(): void {
    this.chain = null;
  }

  private async follow({ durationMs, signal, onProgress }: AdvanceRequest): Promise<IndexerProgress> {
    const until = Date.now() + durationMs;
    this.nodes.forget();
    let chain = await this.open(signal);
    const meter = new RateMeter();
    meter.add(chain.written.height);
    for (;;) {
      signal.throwIfAborted();
      const survey = await this.nodes.survey(chain.written, signal);
      const ahead = survey.usable.filter(({ tip }) => tip > chain.position.height);
      const report = (): IndexerProgress => {
        const { height } = this.current().written;
        meter.add(height);
        const progress = describe(height, survey, meter);
        onProgress(progress);
        return progress;
      };
      if (ahead.length > 0) chain = await this.catchUp(ahead, { until, signal, report });
      const progress = report();
      if (Date.now() >= until) return progress;
      if (ahead.length === 0) {
        await delay(Math.min(this.options.pollMs, until - Date.now()), undefined, { signal });
      }
    }
  }

  /** The state of the checkpoint: the one in memory when it is still that of the rows. */
  private async open(signal: AbortSignal): Promise<IndexedChain> {
    const checkpoint = await this.store.repository.findCheckpoint(this.store.network);
    this.chain = checkpoint === null ? await this.begin(signal) : await this.continueFrom(checkpoint, signal);
    return this.chain;
  }

  private async continueFrom(checkpoint: Checkpoint, signal: AbortSignal): Promise<IndexedChain> {
    const upgrades = await this.upgradesFor(checkpoint, signal);
    const known = this.chain;
    const isCurrent =
      known !== null &&
      known.written.height === checkpoint.tip.height &&
      known.written.blockId === checkpoint.tip.blockId &&
      upgradeDifference(upgrades, known.upgrades, Infinity) === undefined;
    if (isCurrent) return known;
    return (await IndexedChain.load(this.store, upgrades)) ?? (await this.begin(signal));
  }

  /**
   * The rules to go on by: ours where the network's history is known, otherwise a node's. What they say of the time up to
   * the checkpoint must be what its rows were worked out with. Throws OTHER_UPGRADES.
   */
  private async upgradesFor(
    { tip, identity, upgrades: recorded }: Checkpoint,
    signal: AbortSignal,
  ): Promise<UpgradeTimes> {
    const ours = knownUpgrades(identity.networkId);
    if (ours === undefined) {
      return this.nodes.askAny(async (node) => {
        if (recorded !== null) await node.expectUpgrades(recorded, tip.time, signal);
        return node.upgrades(signal);
      }, signal);
    }
    const difference = recorded === null ? undefined : upgradeDifference(recorded, ours, tip.time);
    if (difference === undefined) return ours;
    throw new PlatformVmError(
      'OTHER_UPGRADES',
      `the index on record follows other rules than this version: ${difference}; it has to be made anew (reindex)`,
    );
  }

  /** Writes the genesis that the nodes' first block names as its parent. */
  private async begin(signal: AbortSignal): Promise<IndexedChain> {
    const { upgrades, ...identity } = await this.nodes.askAny(async (node) => {
      const networkId = await node.info.getNetworkId({ signal });
      const { parentId: genesisId } = await node.getBlock(0n, signal);
      await loadGenesis({ networkId, id: genesisId }); // otherwise another node may be the right one
      return { networkId, genesisId, upgrades: knownUpgrades(networkId) ?? (await node.upgrades(signal)) };
    }, signal);
    return IndexedChain.create(this.store, identity, upgrades);
  }

  /** Reads from the first node that can be read from. Whatever it got is written, also when this throws. */
  private async catchUp(
    ahead: readonly NodeAtTip<PChainNode>[],
    context: ReadContext,
  ): Promise<IndexedChain> {
    const from = this.current().position.height;
    const failures: NodeFailure[] = [];
    const tried = new Set<PChainNode>();
    let candidates = ahead;
    for (;;) {
      for (const candidate of candidates) {
        tried.add(candidate.node);
        try {
          await this.readFrom(candidate, context);
          this.nodes.noteSuccess(candidate.node);
          return this.current();
        } catch (error) {
          context.signal.throwIfAborted();
          if (!(error instanceof NodeFailure)) throw error;
          this.nodes.noteFailure(candidate.node);
          this.warn(error.text);
          failures.push(error);
          const chain = await this.open(context.signal);
          if (chain.position.height > from) return chain;
        }
      }
      // Also those that failed lately, and those that failed just now: can they still tell our own last block?
      const everybody = await this.nodes.survey(this.current().written, context.signal, 'everybody');
      candidates = everybody.usable.filter(({ node, tip }) => !tried.has(node) && tip > from);
      if (candidates.length === 0) throw verdict(failures, everybody);
    }
  }

  private current(): IndexedChain {
    if (this.chain === null) throw new IndexError('CHECKPOINT_MOVED', 'no state is loaded');
    return this.chain;
  }

  private async readFrom({ node, tip }: NodeAtTip<PChainNode>, context: ReadContext): Promise<void> {
    try {
      await this.apply(node, tip, context);
    } catch (error) {
      if (!(error instanceof BlockRefusedError)) throw error;
      // The state is spoilt: back to the rows, and on to just before that block, so that the index rests there.
      this.forget();
      const chain = await this.open(context.signal);
      if (error.height - 1n > chain.position.height) await this.apply(node, error.height - 1n, context);
      throw new NodeFailure(node, error.cause);
    }
  }

  /** Applies a node's blocks, and writes one batch while the next one is read. */
  private async apply(node: PChainNode, to: bigint, { until, signal, report }: ReadContext): Promise<void> {
    const chain = this.current();
    let writing: Promise<void> = Promise.resolve();
    const flush = async (): Promise<void> => {
      await writing;
      writing = chain.flush().then(() => void report());
      writing.catch(() => undefined); // looked at by the next one
    };
    let blocks = 0;
    let batchStartedAt = Date.now();
    let turnStartedAt = performance.now();
    try {
      try {
        for await (const block of node.readBlocks(chain.position, to, signal)) {
          chain.apply(block);
          blocks += 1;
          if (performance.now() - turnStartedAt > MAX_TURN_MS) {
            await nextTurn();
            turnStartedAt = performance.now();
          }
          if (chain.isUndecided) continue;
          const now = Date.now();
          if (blocks >= this.options.batchBlocks || now - batchStartedAt > MAX_BATCH_MS) {
            await flush();
            blocks = 0;
            batchStartedAt = now;
          }
          if (now >= until) break;
        }
      } catch (error) {
        if (!(error instanceof RpcError || error instanceof PlatformVmError)) throw error;
        await flush(); // what came before is good
        throw new NodeFailure(node, error);
      }
      await flush();
    } finally {
      // Nothing may still be written when the next attempt, here or in another process, reads the checkpoint.
      await writing.catch((error: unknown) => {
        this.forget();
        // A batch whose rows contradict the database is the node's fault, or ours: another node decides.
        if (mustStop(error)) throw new NodeFailure(node, error);
        throw error;
      });
    }
  }
}

/** Whether a person is needed: only when every node was asked, and all of them show what we cannot take. */
function verdict(failures: readonly NodeFailure[], everybody: Survey<PChainNode>): Error {
  const last = failures.at(-1);
  if (last === undefined) return new IndexError('NO_USABLE_NODE', everybody.problems.join('; '));
  const texts = failures.map(({ text }) => text);
  const isUnanimous = failures.every(({ cause }) => mustStop(cause)) && everybody.problems.length === 0;
  if (isUnanimous) return withText(last.cause, texts.join('; '));
  return new IndexError('NO_USABLE_NODE', [...texts, ...everybody.problems].join('; '), { cause: last });
}

function describe(height: bigint, survey: Survey<PChainNode>, meter: RateMeter): IndexerProgress {
  const { blocksPerSecond } = meter;
  if (survey.usable.length === 0) {
    const message = survey.problems.join('; ');
    return { state: 'waiting', height, tip: survey.tip ?? null, blocksPerSecond, secondsLeft: null, message };
  }
  const tip = survey.tip !== undefined && survey.tip > height ? survey.tip : height;
  const left = Number(tip - height);
  const secondsLeft = left === 0 ? 0 : blocksPerSecond > 0 ? Math.ceil(left / blocksPerSecond) : null;
  return { state: 'running', height, tip, blocksPerSecond, secondsLeft, message: null };
}

function withText(cause: NodeError, text: string): Error {
  if (cause instanceof PlatformVmError) return new PlatformVmError(cause.code, text, { cause });
  return cause instanceof IndexError ? new IndexError(cause.code, text, { cause }) : cause;
}
