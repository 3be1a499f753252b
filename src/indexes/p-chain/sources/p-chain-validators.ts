import { ChainSyncError } from '../../../avalanche/chain-sync/chain-sync.error.js';
import type { ContainerChain } from '../../../avalanche/chain-sync/container-chain.js';
import type { Block } from '../../../avalanche/platformvm/block.js';
import { parseBlockLink } from '../../../avalanche/platformvm/codec/block.js';
import {
  knownUpgrades,
  localUpgrades,
  upgradeDifference,
  type UpgradeTimes,
} from '../../../avalanche/platformvm/state/upgrade-times.js';
import { PlatformVmError } from '../../../avalanche/platformvm/platformvm.error.js';
import { type ValidatorsOptions, ValidatorsSource } from '../../engine/sources/validators-source.js';
import {
  type BlockRef,
  type ChainPosition,
  foreignBlock,
  linked,
  parseAt,
  parsedFrom,
  type PChainSource,
} from './p-chain-source.js';

/** The validators of a network as a source of its P-chain. */
export class PChainValidators extends ValidatorsSource implements PChainSource {
  /** `hasNode`: whether there are nodes that can be asked, too. */
  constructor(
    options: ValidatorsOptions,
    private readonly hasNode = false,
  ) {
    super(options);
  }

  async getNetworkId(): Promise<number> {
    return this.network().networkId;
  }

  async getBlock(height: bigint, signal: AbortSignal): Promise<Block> {
    return parseAt(await this.getBytes(height, signal), height);
  }

  /**
   * Validators cannot be asked for them: without a node that can, those of a local network are taken to be avalanchego's, and the sandbox
   * has Helicon. Throws ChainSyncError.
   */
  async upgrades(_: AbortSignal, recorded?: UpgradeTimes): Promise<UpgradeTimes> {
    const { networkId } = this.network();
    const known = this.knownUpgrades() ?? recorded;
    if (known !== undefined) return known;
    if (!this.hasNode) return localUpgrades({ hasHelicon: this.options.config.sandbox });
    throw new ChainSyncError('NOT_SERVED', `a node is asked for the upgrades of network ${networkId}`);
  }

  async expectUpgrades(expected: UpgradeTimes, until: number): Promise<void> {
    const known = this.knownUpgrades();
    const difference = known && upgradeDifference(known, expected, until);
    if (difference !== undefined) throw new PlatformVmError('OTHER_UPGRADES', difference);
  }

  private knownUpgrades(): UpgradeTimes | undefined {
    return this.options.config.own?.upgrades ?? knownUpgrades(this.network().networkId);
  }

  async findForeignBlock(
    position: ChainPosition,
    tip: bigint,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const foreign = await foreignBlock(this, position, tip, signal);
    return foreign && `have ${foreign}`;
  }

  readBlocks(after: BlockRef, to: bigint, signal: AbortSignal): AsyncGenerator<Block, void> {
    const from = after.height + 1n;
    return linked(after, parsedFrom(from, this.fetch(from, to, signal)));
  }

  protected async chainOf(): Promise<ContainerChain> {
    const checkpoints = await this.checkpoints('pChain');
    return { chainId: new Uint8Array(32), linkOf: parseBlockLink, checkpoints };
  }
}
