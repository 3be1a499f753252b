import type { KnownStake } from '../../../avalanche/chain-sync/acceptance.js';
import { ChainSyncError } from '../../../avalanche/chain-sync/chain-sync.error.js';
import type { Logger } from '../../../avalanche/logger.js';
import { parsePeer } from '../../../avalanche/p2p/network/address.js';
import { bootstrappersOf } from '../../../avalanche/p2p/network/bootstrappers.js';
import type { PeerNetwork } from '../../../avalanche/p2p/network/peer-network.js';
import type { Block } from '../../../avalanche/platformvm/block.js';
import { parseBlockLink } from '../../../avalanche/platformvm/codec/block.js';
import {
  knownUpgrades,
  upgradeDifference,
  type UpgradeTimes,
} from '../../../avalanche/platformvm/state/upgrade-times.js';
import { PlatformVmError } from '../../../avalanche/platformvm/platformvm.error.js';
import type { NetworkConfig } from '../../../platform/config/config.module.js';
import { AcceptedChain } from '../../engine/sources/accepted-chain.js';
import {
  type BlockRef,
  type ChainPosition,
  foreignBlock,
  linked,
  parseAt,
  parsedFrom,
  type PChainSource,
} from './p-chain-source.js';

/** Others may have the blocks meanwhile. */
const HEIGHT_TIMEOUT_MS = 20_000;

const P_CHAIN = { chainId: new Uint8Array(32), linkOf: parseBlockLink };

export interface PChainValidatorsOptions {
  /** Undefined while the process has no peers. */
  readonly peers: () => PeerNetwork | undefined;
  /** Those of the configuration; believed first on a network that has no built-in bootstrappers, or is a simulated one. */
  readonly config: Pick<NetworkConfig, 'peers' | 'sandbox'>;
  readonly stake: () => Promise<KnownStake | undefined>;
  readonly logger: Logger;
}

/** The validators of a network as a source of its P-chain: no node is needed, and none believed. */
export class PChainValidators implements PChainSource {
  readonly name = 'the validators';
  readonly host = 'the validators';
  private chain: AcceptedChain | undefined;

  constructor(private readonly options: PChainValidatorsOptions) {}

  async getNetworkId(): Promise<number> {
    return this.network().networkId;
  }

  async getHeight(signal: AbortSignal): Promise<bigint> {
    const limit = AbortSignal.timeout(HEIGHT_TIMEOUT_MS);
    try {
      return await this.accepted().getHeight(AbortSignal.any([signal, limit]));
    } catch (error) {
      if (!limit.aborted || signal.aborted) throw error;
      throw new ChainSyncError('NOT_SERVED', `no answer within ${HEIGHT_TIMEOUT_MS / 1_000} s`);
    }
  }

  async getBlock(height: bigint, signal: AbortSignal): Promise<Block> {
    return parseAt(await this.accepted().getBlock(height, signal), height);
  }

  /** Validators cannot be asked for them. Throws ChainSyncError where they are neither known nor on record. */
  async upgrades(_: AbortSignal, recorded?: UpgradeTimes): Promise<UpgradeTimes> {
    const { networkId } = this.network();
    const known = knownUpgrades(networkId) ?? recorded;
    if (known !== undefined) return known;
    throw new ChainSyncError('NOT_SERVED', `the upgrades of network ${networkId} are not known`);
  }

  async expectUpgrades(expected: UpgradeTimes, until: number): Promise<void> {
    const known = knownUpgrades(this.network().networkId);
    const difference = known && upgradeDifference(known, expected, until);
    if (difference !== undefined) throw new PlatformVmError('OTHER_UPGRADES', difference);
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
    return linked(after, parsedFrom(from, this.accepted().fetch(from, to, signal)));
  }

  private network(): PeerNetwork {
    const network = this.options.peers();
    if (network === undefined) throw new ChainSyncError('NOT_SERVED', 'this process has no peers yet');
    return network;
  }

  private accepted(): AcceptedChain {
    this.chain ??= this.open(this.network());
    return this.chain;
  }

  private open(network: PeerNetwork): AcceptedChain {
    const { config, stake, logger } = this.options;
    const builtIn = config.sandbox ? [] : bootstrappersOf(network.networkId);
    const peers = builtIn.length > 0 ? builtIn : config.peers.flatMap(parsePeer);
    const bootstrappers = peers.map(({ nodeId }) => nodeId);
    network.track(bootstrappers);
    return new AcceptedChain(network, P_CHAIN, { bootstrappers, stake, logger });
  }
}
