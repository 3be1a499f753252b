import { lookup } from 'node:dns/promises';
import { PRIMARY_NETWORK_ID } from '../../../avalanche/ids/id.js';
import type { Logger } from '../../../avalanche/logger.js';
import { isPrivateAddress } from '../../../avalanche/p2p/network/address.js';
import { PeerNetwork, type PeerNetworkLimits } from '../../../avalanche/p2p/network/peer-network.js';
import type { TlsIdentity } from '../../../avalanche/p2p/peer/tls-identity.js';
import type { PeerInfo } from '../../../avalanche/rpc/info-client.js';
import { RpcError } from '../../../avalanche/rpc/rpc.error.js';
import type {
  CanonicalValidator,
  CanonicalValidatorSet,
} from '../../../avalanche/warp/canonical-validator-set.js';
import type { Network, ValidatorSetAtHeight } from '../../../platform/networks/network.js';
import {
  ClaimedVersion,
  DEFAULT_VERSION_LIMITS,
  firstClientVersion,
  type VersionLimits,
} from './claimed-version.js';
import { formatClientVersion } from './client-version.js';
import { type AddressLimits, DEFAULT_ADDRESS_LIMITS, PeerAddresses } from './peer-addresses.js';

/** Validators of L1s that stay connected after a request, so that the next one is fast; those of the primary network always do. */
const MAX_L1_VALIDATORS = 4_000;

/** The usual quorum, with some to spare and a tenth that is not there. */
const NEEDED_PERCENTAGE = 92n;

/** Ids of mainnet and Fuji: no node has a reason to be at a private address there. */
const PUBLIC_NETWORK_IDS: ReadonlySet<number> = new Set([1, 5]);

interface TrackedSubnet {
  readonly set: CanonicalValidatorSet;
  /** How many there are. */
  readonly nodes: number;
  readonly release: () => void;
}

/** How much of a subnet's weight is behind validators that are connected. */
export interface ConnectedStake {
  readonly subnetId: string;
  readonly validators: number;
  readonly connectedValidators: number;
  /** 0 to 1. */
  readonly share: number;
}

export type NetworkPeersLimits = VersionLimits & AddressLimits & PeerNetworkLimits;

/** The p2p connections of one network, with the addresses and the claimed version that its nodes tell. */
export class NetworkPeers {
  /** By subnet id, the one that was wanted last at the end. */
  private readonly tracked = new Map<string, TrackedSubnet>();

  private constructor(
    readonly peers: PeerNetwork,
    private readonly addresses: PeerAddresses,
    private readonly version: ClaimedVersion,
  ) {}

  /** Throws RpcError when the network's node cannot be asked. */
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

  /** Keeps the validators of this set connected, and looks for the addresses of those that are not. */
  use({ subnetId, set }: ValidatorSetAtHeight): PeerNetwork {
    this.track(subnetId, set);
    const missing = set.validators
      .filter(({ nodeIds }) => !nodeIds.some((id) => this.peers.isConnected(id)))
      .flatMap(({ nodeIds }) => nodeIds);
    if (missing.length > 0) void this.lookFor(missing);
    return this.peers;
  }

  /** Of the subnets that are kept connected, the one that was wanted last first. */
  connectedStake(): ConnectedStake[] {
    return [...this.tracked].reverse().map(([subnetId, { set }]) => this.stakeOf(subnetId, set));
  }

  /** Of the primary network's weight; 0 before its validators are known. */
  primaryShare(): number {
    const primary = this.tracked.get(PRIMARY_NETWORK_ID);
    return primary === undefined ? 0 : this.stakeOf(PRIMARY_NETWORK_ID, primary.set).share;
  }

  async close(): Promise<void> {
    this.version.close();
    for (const { release } of this.tracked.values()) release();
    this.tracked.clear();
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

  private track(subnetId: string, set: CanonicalValidatorSet): void {
    const earlier = this.tracked.get(subnetId);
    this.tracked.delete(subnetId);
    if (earlier?.set.digest === set.digest) {
      this.tracked.set(subnetId, earlier);
      return;
    }
    const byWeight = heaviestFirst(set.validators);
    const nodeIds = byWeight.flatMap((validator) => validator.nodeIds);
    const release = this.peers.track(nodeIds, countNeeded(byWeight, set.totalWeight));
    this.tracked.set(subnetId, { set, nodes: nodeIds.length, release });
    if (subnetId === PRIMARY_NETWORK_ID) this.peers.setStaked(nodeIds);
    earlier?.release();
    this.releaseOldest(subnetId);
  }

  /** The validators of the primary network stay: they alone tell the addresses of all L1s' validators. */
  private releaseOldest(newest: string): void {
    const l1s = [...this.tracked].filter(([subnetId]) => subnetId !== PRIMARY_NETWORK_ID);
    let total = l1s.reduce((sum, [, { nodes }]) => sum + nodes, 0);
    for (const [subnetId, { nodes, release }] of l1s) {
      if (total <= MAX_L1_VALIDATORS || subnetId === newest) return;
      this.tracked.delete(subnetId);
      release();
      total -= nodes;
    }
  }
}

function heaviestFirst(validators: readonly CanonicalValidator[]): CanonicalValidator[] {
  return validators.toSorted((a, b) => (a.weight === b.weight ? 0 : a.weight > b.weight ? -1 : 1));
}

/** Nodes of the heaviest validators that hold so much of the weight that what most requests need is among them. */
function countNeeded(byWeight: readonly CanonicalValidator[], totalWeight: bigint): number {
  let weight = 0n;
  let nodes = 0;
  for (const validator of byWeight) {
    if (weight * 100n >= totalWeight * NEEDED_PERCENTAGE) break;
    weight += validator.weight;
    nodes += validator.nodeIds.length;
  }
  return nodes;
}

/** All peers of the node, or why it does not tell: there are other ways to find some. */
async function askForPeers(network: Network): Promise<PeerInfo[] | RpcError> {
  try {
    return await network.info.peers();
  } catch (error) {
    if (error instanceof RpcError) return error;
    throw error;
  }
}

/** Validators choose the address that others dial; only private networks have a use for private addresses. */
async function arePrivateAddressesUseful({ config }: Network, networkId: number): Promise<boolean> {
  return !PUBLIC_NETWORK_IDS.has(networkId) && isNodePrivate(config.nodeUrls);
}

/** A node on a private address belongs to a private network, whose peers are at private addresses, too. */
async function isNodePrivate(nodeUrls: readonly string[]): Promise<boolean> {
  const [first] = nodeUrls;
  if (first === undefined) return false;
  const host = new URL(first).hostname.replace(/^\[|\]$/g, '');
  try {
    const addresses = await lookup(host, { all: true });
    return addresses.length > 0 && addresses.every(({ address }) => isPrivateAddress(address));
  } catch {
    return false;
  }
}
