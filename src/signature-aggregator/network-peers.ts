import { lookup } from 'node:dns/promises';
import { isPrivateAddress } from '../avalanche/p2p/address.js';
import type { ClientVersion } from '../avalanche/p2p/handshake.js';
import { PeerNetwork, type PeerAddress } from '../avalanche/p2p/peer-network.js';
import type { TlsIdentity } from '../avalanche/p2p/tls-identity.js';
import type { PeerInfo } from '../avalanche/rpc/info-client.js';
import type { Network, ValidatorSetAtHeight } from '../networks/network.js';

/** Subnets whose validators stay connected after a request, so that the next one is fast; avalanchego tracks as many. */
const MAX_TRACKED_SUBNETS = 16;
/** Addresses are asked for again at most so often when a validator's is missing, and at least so often while in use. */
const REFRESH_MIN_MS = 2_000;
const REFRESH_MAX_MS = 60_000;
const DEFAULT_CLIENT_VERSION = '1.14.2';

interface Logger {
  debug(message: string): void;
  log(message: string): void;
  warn(message: string): void;
}

/** The p2p connections of one network, with the addresses and the claimed version that its node tells. */
export class NetworkPeers {
  private readonly tracked = new Map<string, { digest: string; release: () => void }>();
  private lastRefreshMs = -Infinity;
  private refreshing: Promise<void> | undefined;

  private constructor(
    private readonly network: Network,
    readonly peers: PeerNetwork,
    private readonly logger: Logger,
  ) {}

  /** Throws RpcError when the network's node cannot be asked. */
  static async start(network: Network, identity: TlsIdentity, logger: Logger): Promise<NetworkPeers> {
    const { config } = network;
    const [networkId, peerInfos] = await Promise.all([network.getNetworkId(), network.info.peers()]);
    const clientVersion = parseVersion(config.clientVersion ?? (await highestVersion(network, peerInfos)));
    const allowPrivateAddresses = config.allowPrivatePeers ?? (await isNodePrivate(config.nodeUrls));
    const peers = new PeerNetwork({ networkId, identity, clientVersion, allowPrivateAddresses });
    const { major, minor, patch } = clientVersion;
    logger.log(
      `p2p on ${network.name} (network ${networkId}) as ${identity.nodeId}, client version ${major}.${minor}.${patch}` +
        (allowPrivateAddresses ? ', private addresses allowed' : ''),
    );
    const started = new NetworkPeers(network, peers, logger);
    await started.learn(peerInfos);
    return started;
  }

  /** Keeps the validators of this set connected, and looks for the addresses of those that are not. */
  async use({ subnetId, set }: ValidatorSetAtHeight): Promise<PeerNetwork> {
    this.track(subnetId, set);
    const isSomeoneMissing = set.validators.some(
      ({ nodeIds }) => !nodeIds.some((id) => this.peers.isConnected(id)),
    );
    const ageMs = performance.now() - this.lastRefreshMs;
    if (ageMs > REFRESH_MAX_MS || (isSomeoneMissing && ageMs > REFRESH_MIN_MS)) void this.refresh();
    return this.peers;
  }

  async close(): Promise<void> {
    for (const { release } of this.tracked.values()) release();
    this.tracked.clear();
    await this.peers.close();
  }

  private track(subnetId: string, { digest, validators }: ValidatorSetAtHeight['set']): void {
    const earlier = this.tracked.get(subnetId);
    this.tracked.delete(subnetId);
    if (earlier?.digest === digest) {
      this.tracked.set(subnetId, earlier);
      return;
    }
    const nodeIds = validators.flatMap((validator) => validator.nodeIds);
    this.tracked.set(subnetId, { digest, release: this.peers.track(nodeIds) });
    earlier?.release();
    const [oldest] = this.tracked;
    if (this.tracked.size > MAX_TRACKED_SUBNETS && oldest !== undefined) {
      this.tracked.delete(oldest[0]);
      oldest[1].release();
    }
  }

  private refresh(): Promise<void> {
    this.refreshing ??= this.fetchAddresses().finally(() => (this.refreshing = undefined));
    return this.refreshing;
  }

  /** Never rejects: the addresses known so far stay good. */
  private async fetchAddresses(): Promise<void> {
    this.lastRefreshMs = performance.now();
    try {
      await this.learn(await this.network.info.peers());
    } catch (error) {
      this.logger.warn(`addresses of ${this.network.name}'s peers not refreshed: ${String(error)}`);
    }
  }

  private async learn(peerInfos: readonly PeerInfo[]): Promise<void> {
    this.lastRefreshMs = performance.now();
    const own = await this.addressOfNode();
    const told = peerInfos.flatMap(({ nodeId, publicIp }) => toAddress(nodeId, publicIp));
    const configured = this.network.config.peers.flatMap((peer) => {
      const at = peer.indexOf('@');
      return toAddress(peer.slice(0, at), peer.slice(at + 1));
    });
    // Later ones win: what the operator wrote down is meant.
    this.peers.setAddresses([...told, ...own, ...configured]);
  }

  /** A node does not list itself among its peers. Public endpoints keep these two calls off, which is no loss. */
  private async addressOfNode(): Promise<PeerAddress[]> {
    try {
      const [{ nodeId }, ip] = await Promise.all([
        this.network.info.getNodeId(),
        this.network.info.getNodeIp(),
      ]);
      return toAddress(nodeId, ip);
    } catch {
      return [];
    }
  }
}

/** `host:port` or `[v6]:port`; nothing for what is not one. */
function toAddress(nodeId: string, hostAndPort: string): PeerAddress[] {
  const match = /^(?:\[(?<v6>[0-9a-fA-F:.]+)\]|(?<host>[^:]+)):(?<port>\d{1,5})$/.exec(hostAndPort);
  const host = match?.groups?.['v6'] ?? match?.groups?.['host'];
  const port = Number(match?.groups?.['port']);
  return host === undefined || port < 1 || port > 65_535 ? [] : [{ nodeId, host, port }];
}

/**
 * Nodes refuse clients below their floor, which moves with every upgrade, and above their major version; so we claim the
 * highest version that the node or its peers run.
 */
async function highestVersion(network: Network, peerInfos: readonly PeerInfo[]): Promise<string> {
  const own = await network.info.getNodeVersion().then(
    ({ version }) => version,
    () => '',
  );
  const versions = [own, ...peerInfos.map(({ version }) => version)].flatMap((text) => {
    const match = /^[a-z]+\/(\d{1,4})\.(\d{1,4})\.(\d{1,4})$/.exec(text);
    return match === null ? [] : [match.slice(1).map(Number)];
  });
  const [ownMajor] = own === '' ? [] : [Number(/\/(\d+)\./.exec(own)?.[1])];
  const eligible = versions.filter(([major]) => ownMajor === undefined || major === ownMajor);
  const highest = eligible.sort(compareVersions).at(-1);
  return highest?.join('.') ?? DEFAULT_CLIENT_VERSION;
}

function compareVersions(a: readonly number[], b: readonly number[]): number {
  const differing = a.findIndex((part, index) => part !== b[index]);
  return differing === -1 ? 0 : (a[differing] ?? 0) - (b[differing] ?? 0);
}

function parseVersion(text: string): ClientVersion {
  const [major = 0, minor = 0, patch = 0] = text.split('.').map(Number);
  return { name: 'avalanchego', major, minor, patch };
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
