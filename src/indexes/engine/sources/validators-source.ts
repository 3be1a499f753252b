import type { KnownStake } from '../../../avalanche/chain-sync/acceptance.js';
import type { BlockServers } from '../../../avalanche/chain-sync/block-servers.js';
import { publishedCheckpoints } from '../../../avalanche/chain-sync/checkpoints.js';
import { ChainSyncError } from '../../../avalanche/chain-sync/chain-sync.error.js';
import type { ContainerChain } from '../../../avalanche/chain-sync/container-chain.js';
import type { Logger } from '../../../avalanche/logger.js';
import { parsePeer } from '../../../avalanche/p2p/network/address.js';
import type { ChainNetwork } from '../../../avalanche/p2p/network/chain-network.js';
import { bootstrappersOf } from '../../../avalanche/p2p/network/bootstrappers.js';
import type { PeerNetwork } from '../../../avalanche/p2p/network/peer-network.js';
import type { Id } from '../../../avalanche/platformvm/ids.js';
import type { NetworkConfig } from '../../../platform/config/config.module.js';
import { AcceptedChain } from './accepted-chain.js';

/** Others may have the blocks meanwhile. */
const HEIGHT_TIMEOUT_MS = 20_000;

/** Peers of one network, as far as its chains are read from them. */
export type ChainPeers = ChainNetwork & Pick<PeerNetwork, 'networkId' | 'track'>;

export interface ValidatorsOptions {
  /** Undefined while the process has no peers. */
  readonly peers: () => ChainPeers | undefined;
  /** Those of the configuration; believed first on a network that has no built-in bootstrappers, or is a simulated one. */
  readonly config: Pick<NetworkConfig, 'peers' | 'sandbox' | 'own'>;
  readonly stake: () => Promise<KnownStake | undefined>;
  readonly logger: Logger;
}

/** The validators of a network as a source of one of its chains: no node is needed, and none believed. */
export abstract class ValidatorsSource {
  readonly name = 'the validators';
  readonly host = 'the validators';
  private chain: AcceptedChain | undefined;

  constructor(protected readonly options: ValidatorsOptions) {}

  /** Throws what `isNodeError` knows. */
  protected abstract chainOf(): Promise<ContainerChain>;

  /** Whether somebody can be asked, and believed: behind a firewall nobody can. */
  get isReady(): boolean {
    const network = this.options.peers();
    if (network === undefined || this.bootstrappersOf(network).length === 0) return false;
    return network.connectedPeers().length > 0;
  }

  get standing(): string {
    const { serving, taken } = this.count();
    return `${serving} serve, ${taken} blocks read`;
  }

  count(): ReturnType<BlockServers['count']> {
    return this.chain?.servers.count() ?? { serving: 0, distrusted: 0, taken: 0 };
  }

  async getHeight(signal: AbortSignal): Promise<bigint> {
    const limit = AbortSignal.timeout(HEIGHT_TIMEOUT_MS);
    try {
      const accepted = await this.accepted();
      return await accepted.getHeight(AbortSignal.any([signal, limit]));
    } catch (error) {
      if (!limit.aborted || signal.aborted) throw error;
      throw new ChainSyncError('NOT_SERVED', `no answer within ${HEIGHT_TIMEOUT_MS / 1_000} s`);
    }
  }

  async getBytes(height: bigint, signal: AbortSignal): Promise<Uint8Array> {
    return (await this.accepted()).getBlock(height, signal);
  }

  protected async *fetch(from: bigint, to: bigint, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
    yield* (await this.accepted()).fetch(from, to, signal);
  }

  protected async checkpoints(chain: 'pChain' | 'xChain'): Promise<readonly Id[]> {
    return this.options.config.sandbox ? [] : publishedCheckpoints(this.network().networkId, chain);
  }

  /** Throws ChainSyncError. */
  protected network(): ChainPeers {
    const network = this.options.peers();
    if (network === undefined) throw new ChainSyncError('NOT_SERVED', 'this process has no peers yet');
    return network;
  }

  /** Throws ChainSyncError. */
  protected async accepted(): Promise<AcceptedChain> {
    if (this.chain !== undefined) return this.chain;
    const network = this.network();
    const chain = await this.chainOf();
    this.chain ??= this.open(network, chain); // another call may have been quicker
    return this.chain;
  }

  private open(network: ChainPeers, chain: ContainerChain): AcceptedChain {
    const { stake, logger } = this.options;
    const bootstrappers = this.bootstrappersOf(network);
    network.track(bootstrappers);
    return new AcceptedChain(network, chain, { bootstrappers, stake, logger });
  }

  private bootstrappersOf({ networkId }: ChainPeers): string[] {
    const { config } = this.options;
    const builtIn = config.sandbox ? [] : bootstrappersOf(networkId);
    return (builtIn.length > 0 ? builtIn : config.peers.flatMap(parsePeer)).map(({ nodeId }) => nodeId);
  }
}
