import type { Block } from '../../avalanche/platformvm/block.js';
import { blockchainsOf, loadGenesis } from '../../avalanche/platformvm/genesis/genesis.js';
import { PlatformVmError } from '../../avalanche/platformvm/platformvm.error.js';
import { BlockReplay } from '../../avalanche/platformvm/state/block-replay.js';
import { makeChainRules } from '../../avalanche/platformvm/state/chain-rules.js';
import { genesisState } from '../../avalanche/platformvm/state/genesis-state.js';
import { PChainState } from '../../avalanche/platformvm/state/p-chain-state.js';
import type { StateChanges } from '../../avalanche/platformvm/state/changes.js';
import type { UpgradeTimes } from '../../avalanche/platformvm/state/upgrade-times.js';
import type { NetworkName } from '../../platform/config/config.module.js';
import type { OwnNetwork } from '../../platform/config/networks-file.js';
import { type RecentBlock, withBlock } from './recent-blocks.js';
import type { PChainStateRepository } from './p-chain-state.repository.js';
import type { Batch, ChainIdentity, PChainWriter } from './p-chain-writer.js';
import type { BlockRef, ChainPosition } from './sources/p-chain-source.js';
import { type ChainAliases, chainAliases } from '../utxos/utxo.js';

export interface ChainStore {
  readonly network: NetworkName;
  /** Of a network of NETWORKS_FILE. */
  readonly own?: OwnNetwork | undefined;
  readonly repository: PChainStateRepository;
  readonly writer: PChainWriter;
}

/** A block contradicts the state; the state in memory is spoilt by it and must be loaded again. */
export class BlockRefusedError extends Error {
  override readonly name = 'BlockRefusedError';

  constructor(
    readonly height: bigint,
    override readonly cause: PlatformVmError,
  ) {
    super(cause.message, { cause });
  }
}

/** The P-chain's state in memory, the rows that vouch for it, and what lies between them. */
export class IndexedChain {
  private checkpoint: BlockRef;
  private last: BlockRef;

  private constructor(
    private readonly store: ChainStore,
    private readonly replay: BlockReplay,
    readonly identity: ChainIdentity,
    private readonly aliases: ChainAliases,
    private recentBlocks: readonly RecentBlock[],
  ) {
    const { height, blockId } = replay.state.tip;
    this.checkpoint = { height, blockId };
    this.last = this.checkpoint;
  }

  /** Reads the state back from the rows; undefined when there are none. */
  static async load(store: ChainStore, upgrades: UpgradeTimes): Promise<IndexedChain | undefined> {
    const loaded = await store.repository.load(store.network);
    if (loaded === undefined) return undefined;
    const { checkpoint, snapshot } = loaded;
    const { networkId, genesisId } = checkpoint.identity;
    const genesis = await loadGenesis({ networkId, id: genesisId }, store.own?.genesis);
    const rules = makeChainRules({ networkId, avaxAssetId: genesis.avaxAssetId, upgrades });
    const replay = new BlockReplay(new PChainState(snapshot, rules));
    const aliases = chainAliases(blockchainsOf(genesis));
    return new IndexedChain(store, replay, checkpoint.identity, aliases, checkpoint.recentBlocks);
  }

  /** Writes the rows of a genesis. Throws UNKNOWN_GENESIS. */
  static async create(
    store: ChainStore,
    identity: ChainIdentity,
    upgrades: UpgradeTimes,
  ): Promise<IndexedChain> {
    const { networkId, genesisId } = identity;
    const genesis = await loadGenesis({ networkId, id: genesisId }, store.own?.genesis);
    const rules = makeChainRules({ networkId, avaxAssetId: genesis.avaxAssetId, upgrades });
    const { state, changes } = genesisState(genesis, rules);
    const aliases = chainAliases(blockchainsOf(genesis));
    const chain = new IndexedChain(store, new BlockReplay(state), identity, aliases, []);
    await chain.write(undefined, changes);
    return chain;
  }

  /** The last block that was applied, also when it is a proposal whose option is still to come. */
  get position(): BlockRef {
    return this.last;
  }

  /** Written rows. */
  get written(): ChainPosition {
    return { ...this.checkpoint, genesisId: this.identity.genesisId, upgrades: this.upgrades };
  }

  /** Whose rules the blocks follow here. */
  get upgrades(): UpgradeTimes {
    return this.replay.state.rules.upgrades;
  }

  get isUndecided(): boolean {
    return this.replay.isUndecided;
  }

  /** Throws BlockRefusedError. */
  apply(block: Block): void {
    try {
      this.replay.apply(block);
    } catch (error) {
      if (error instanceof PlatformVmError) throw new BlockRefusedError(block.height, error);
      throw error;
    }
    this.last = { height: block.height, blockId: block.id };
    if (!this.isUndecided) this.recentBlocks = withBlock(this.recentBlocks, this.replay.state.tip);
  }

  /**
   * Writes all that was decided since the last call. Blocks may be applied meanwhile, but nothing else flushed.
   * After a failure the chain must be loaded again.
   */
  async flush(): Promise<void> {
    const changes = this.replay.takeChanges();
    if (changes === null) return;
    await this.write(this.checkpoint, changes);
    const { height, blockId } = changes.tip;
    this.checkpoint = { height, blockId };
  }

  private write(after: BlockRef | undefined, changes: StateChanges): Promise<void> {
    const { state } = this.replay;
    const batch: Batch = {
      network: this.store.network,
      after,
      changes,
      identity: this.identity,
      avaxAssetId: state.rules.avaxAssetId,
      upgrades: state.rules.upgrades,
      recentBlocks: this.recentBlocks,
      aliases: this.aliases,
      getSubnet: (subnetId) => state.getSubnet(subnetId),
    };
    return this.store.writer.write(batch);
  }
}
