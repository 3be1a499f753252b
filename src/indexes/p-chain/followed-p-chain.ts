import type { Block } from '../../avalanche/platformvm/block.js';
import { loadGenesis } from '../../avalanche/platformvm/genesis/genesis.js';
import { PlatformVmError } from '../../avalanche/platformvm/platformvm.error.js';
import {
  knownUpgrades,
  upgradeDifference,
  type UpgradeTimes,
} from '../../avalanche/platformvm/state/upgrade-times.js';
import type { FollowedChain, ReadContext } from '../engine/following/chain-follower.js';
import { copyInBatches } from '../engine/sql/copy-in-batches.js';
import { IndexError } from '../engine/following/index.error.js';
import { NodeFailure } from '../engine/following/node-failure.js';
import type { NodeAtTip } from '../engine/following/node-pool.js';
import { BlockRefusedError, type ChainStore, IndexedChain } from './indexed-chain.js';
import type { Checkpoint } from './p-chain-state.repository.js';
import type { ChainPosition, PChainSource, PChainSources } from './sources/p-chain-source.js';

/** One network's P-chain: its state in memory, and its blocks into the database, from its checkpoint on. */
export class FollowedPChain implements FollowedChain<ChainPosition, PChainSource> {
  private chain: IndexedChain | undefined;

  constructor(
    private readonly store: ChainStore,
    private readonly nodes: PChainSources,
    /** Blocks per transaction while catching up. */
    private readonly batchBlocks: number,
  ) {}

  get position(): ChainPosition {
    return this.current().written;
  }

  forget(): void {
    this.chain = undefined;
  }

  /** The state of the checkpoint: the one in memory when it is still that of the rows. */
  async open(signal: AbortSignal): Promise<void> {
    const checkpoint = await this.store.repository.findCheckpoint(this.store.network);
    this.chain =
      checkpoint === undefined ? await this.begin(signal) : await this.continueFrom(checkpoint, signal);
  }

  async copy({ node, tip }: NodeAtTip<PChainSource>, context: ReadContext): Promise<void> {
    try {
      await this.apply(node, tip, context);
    } catch (error) {
      if (!(error instanceof BlockRefusedError)) throw error;
      // The state is spoilt: back to the rows, and on to just before that block, so that the index rests there.
      this.forget();
      await this.open(context.signal);
      if (error.height - 1n > this.current().position.height) {
        await this.apply(node, error.height - 1n, context);
      }
      throw new NodeFailure(node, error.cause);
    }
  }

  hasten(): Promise<void> {
    return this.store.writer.listingsVacuum.comeSeldom(this.store.network);
  }

  isSettled(): Promise<boolean> {
    return this.store.writer.listingsVacuum.comesOften(this.store.network);
  }

  settle(signal: AbortSignal): Promise<void> {
    return this.store.writer.settle(this.store.network, signal);
  }

  private async continueFrom(checkpoint: Checkpoint, signal: AbortSignal): Promise<IndexedChain> {
    const upgrades = await this.upgradesFor(checkpoint, signal);
    const known = this.chain;
    const isCurrent =
      known !== undefined &&
      known.written.height === checkpoint.tip.height &&
      known.written.blockId === checkpoint.tip.blockId &&
      upgradeDifference(upgrades, known.upgrades, Infinity) === undefined;
    if (isCurrent) return known;
    return (await IndexedChain.load(this.store, upgrades)) ?? (await this.begin(signal));
  }

  /**
   * The rules to go on by: ours where the network's history is known, otherwise a node's. Those for the time up to the checkpoint must be
   * what its rows were worked out with. Throws OTHER_UPGRADES.
   */
  private async upgradesFor(
    { tip, identity, upgrades: recorded }: Checkpoint,
    signal: AbortSignal,
  ): Promise<UpgradeTimes> {
    const ours = this.upgradesOf(identity.networkId);
    if (ours === undefined) {
      return this.nodes.askAny(async (node) => {
        if (recorded !== null) await node.expectUpgrades(recorded, tip.time, signal);
        return node.upgrades(signal, recorded ?? undefined);
      }, signal);
    }
    const difference = recorded === null ? undefined : upgradeDifference(recorded, ours, tip.time);
    if (difference === undefined) return ours;
    throw new PlatformVmError(
      'OTHER_UPGRADES',
      `the stored index follows different rules from this version: ${difference}; rebuild it (reindex)`,
    );
  }

  /** Writes the genesis that the nodes' first block names as its parent. */
  private async begin(signal: AbortSignal): Promise<IndexedChain> {
    const { upgrades, ...identity } = await this.nodes.askAny(async (node) => {
      const networkId = await node.getNetworkId(signal);
      const { parentId: genesisId } = await node.getBlock(0n, signal);
      await loadGenesis({ networkId, id: genesisId }, this.store.own?.genesis); // otherwise another node may be the right one
      return { networkId, genesisId, upgrades: this.upgradesOf(networkId) ?? (await node.upgrades(signal)) };
    }, signal);
    return IndexedChain.create(this.store, identity, upgrades);
  }

  private upgradesOf(networkId: number): UpgradeTimes | undefined {
    return this.store.own?.upgrades ?? knownUpgrades(networkId);
  }

  private current(): IndexedChain {
    if (this.chain === undefined) throw new IndexError('CHECKPOINT_MOVED', 'no state is loaded');
    return this.chain;
  }

  private async apply(node: PChainSource, to: bigint, { until, signal, report }: ReadContext): Promise<void> {
    const chain = this.current();
    const steps = async function* (): AsyncGenerator<Block, void> {
      for await (const block of node.readBlocks(chain.position, to, signal)) {
        chain.apply(block);
        yield block;
      }
    };
    await copyInBatches(
      {
        node,
        steps: steps(),
        sizeOf: () => 1,
        batchSize: this.batchBlocks,
        isWhole: () => !chain.isUndecided,
        flush: () => chain.flush(),
        forget: () => this.forget(),
      },
      { until, report },
    );
  }
}
