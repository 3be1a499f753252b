import { lookup } from 'node:dns/promises';
import { PRIMARY_NETWORK_ID } from '../../../avalanche/ids/id.js';
import type { Logger } from '../../../avalanche/logger.js';
import { isPrivateAddress, parsePeer } from '../../../avalanche/p2p/network/address.js';
import { PeerNetwork, type PeerNetworkLimits } from '../../../avalanche/p2p/network/peer-network.js';
import type { TlsIdentity } from '../../../avalanche/p2p/peer/tls-identity.js';
import type { PeerInfo } from '../../../avalanche/rpc/info-client.js';
import { RpcError } from '../../../avalanche/rpc/rpc.error.js';
import type { CanonicalValidatorSet } from '../../../avalanche/warp/canonical-validator-set.js';
import { isPublicNetworkId } from '../../../platform/config/network-names.js';
import type { Network, ValidatorSetAtHeight } from '../../../platform/networks/network.js';
import {
  ClaimedVersion,
  DEFAULT_VERSION_LIMITS,
  firstClientVersion,
  type VersionLimits,
} from './claimed-version.js';
import { formatClientVersion } from './client-version.js';
import { TrackedSubnets } from './tracked-subnets.js';
import { type AddressLimits, DEFAULT_ADDRESS_LIMITS, PeerAddresses } from './peer-addresses.js';

/** How much of a subnet's weight is behind validators that are connected. */
export interface ConnectedStake {
  readonly subnetId: string;
  readonly validators: number;
  readonly connectedValidators: number;
  /** 0 to 1. */
  readonly share: number;
}

export type NetworkPeersLimits = VersionLimits & AddressLimits & PeerNetworkLimits;

/** The p2p connections of one network, with the addresses and the claimed version that its nodes report. */
export class NetworkPeers {
  private readonly subnets: TrackedSubnets;

  private constructor(
    readonly peers: PeerNetwork,
    private readonly addresses: PeerAddresses,
    private readonly version: ClaimedVersion,
  ) {
    this.subnets = new TrackedSubnets(peers);
  }

  /** Throws RpcError when the network's node, if it has one, cannot be asked. */
  static async start(
    network: Network,
    identity: TlsIdentity,
    logger: Logger,
    given: Partial<NetworkPeersLimits> = {},
  ): Promise<NetworkPeers> {
    const limits = { ...DEFAULT_VERSION_LIMITS, ...DEFAULT_ADDRESS_LIMITS, ...given };
    const [networkId, told] = await Promise.all([network.getNetworkId(), askForPeers(network)]);
    const [clientVersion, allowPrivateAddresses] = await Promise.all([
      firstClientVersion(network, told instanceof RpcError ? [] : told),
      arePrivateAddressesUseful(network, networkId),
    ]);
    const peers = new PeerNetwork({
      networkId,
      identity,
      clientVersion,
      allowPrivateAddresses,
      limits: given,
      logger,
    });
    logger.log(
      `p2p on ${network.name} (network ${networkId}) as ${identity.nodeId}, ` +
        `client version ${formatClientVersion(clientVersion)}` +
        (allowPrivateAddresses ? ', private addresses allowed' : ''),
    );
    const addresses = new PeerAddresses(network, peers, logger, limits);
    addresses.begin(told, networkId);
    return new NetworkPeers(peers, addresses, new ClaimedVersion(network, peers, logger, limits));
  }

  /** Whether a set of this subnet is kept connected. */
  tracks(subnetId: string): boolean {
    return this.subnets.has(subnetId);
  }

  /** Connects the validators of this set, keeps them so if it is the latest, and looks for the addresses of those that are not. */
  use(at: ValidatorSetAtHeight): PeerNetwork {
    this.subnets.want(at);
    const missing = at.set.validators
      .filter(({ nodeIds }) => !nodeIds.some((id) => this.peers.isConnected(id)))
      .flatMap(({ nodeIds }) => nodeIds);
    if (missing.length > 0) void this.lookFor(missing);
    return this.peers;
  }

  /** Of the subnets that are kept connected, the one that was wanted last first. */
  connectedStake(): ConnectedStake[] {
    return this.subnets.all().map(({ subnetId, set }) => this.stakeOf(subnetId, set));
  }

  /** Their latest sets. */
  sets(): ValidatorSetAtHeight[] {
    return this.subnets.all();
  }

  /** Whether the primary network's validators are known. */
  get knowsValidators(): boolean {
    return this.tracks(PRIMARY_NETWORK_ID);
  }

  /** Of the primary network's weight; 0 before its validators are known. */
  primaryShare(): number {
    const primary = this.subnets.setOf(PRIMARY_NETWORK_ID);
    return primary === undefined ? 0 : this.stakeOf(PRIMARY_NETWORK_ID, primary).share;
  }

  async close(): Promise<void> {
    this.version.close();
    this.subnets.close();
    await this.peers.close();
  }

  private stakeOf(subnetId: string, { validators, totalWeight }: CanonicalValidatorSet): ConnectedStake {
    const connected = validators.filter(({ nodeIds }) => nodeIds.some((id) => this.peers.isConnected(id)));
    const weight = connected.reduce((sum, validator) => sum + validator.weight, 0n);
    const share = totalWeight === 0n ? 0 : Number((weight * 1_000_000n) / totalWeight) / 1_000_000;
    return { subnetId, validators: validators.length, connectedValidators: connected.length, share };
  }

  private async lookFor(missing: readonly string[]): Promise<void> {
    const told = await this.addresses.refresh(missing);
    if (told.length > 0) await this.version.hear(told);
  }
}

/** All peers of the node, or why it does not report them: there are other ways to find some. */
async function askForPeers(network: Network): Promise<PeerInfo[] | RpcError> {
  try {
    return await network.info.peers();
  } catch (error) {
    if (error instanceof RpcError) return error;
    throw error;
  }
}

/**
 * Validators choose the address that others dial; only private networks have a use for private addresses. A node on a private address
 * belongs to a private network, whose peers are at private addresses, too; without a node, a listed peer shows it.
 */
async function arePrivateAddressesUseful({ config }: Network, networkId: number): Promise<boolean> {
  if (isPublicNetworkId(networkId)) return false; // no node has a reason to be at a private address there
  const [url] = config.nodeUrls;
  if (url !== undefined) return isHostPrivate(new URL(url).hostname.replace(/^\[|\]$/g, ''));
  const [peer] = config.peers.flatMap(parsePeer);
  return peer !== undefined && isHostPrivate(peer.host);
}

async function isHostPrivate(host: string): Promise<boolean> {
  try {
    const addresses = await lookup(host, { all: true });
    return addresses.length > 0 && addresses.every(({ address }) => isPrivateAddress(address));
  } catch {
    return false;
  }
}
