import { lookup } from 'node:dns/promises';
import { isPrivateAddress } from '../avalanche/p2p/address.js';
import { compareVersions } from '../avalanche/p2p/handshake.js';
import { PeerNetwork, type PeerAddress, type PeerNetworkLimits } from '../avalanche/p2p/peer-network.js';
import type { TlsIdentity } from '../avalanche/p2p/tls-identity.js';
import { InfoClient, type PeerInfo } from '../avalanche/rpc/info-client.js';
import type { Network, ValidatorSetAtHeight } from '../networks/network.js';
import { chooseClientVersion, formatClientVersion, parseClientVersion } from './client-version.js';

/** Subnets whose validators stay connected after a request, so that the next one is fast; avalanchego tracks as many. */
const MAX_TRACKED_SUBNETS = 16;
/** Addresses are asked for again at most so often when a validator's is missing, and at least so often while in use. */
const REFRESH_MIN_MS = 2_000;
const REFRESH_MAX_MS = 60_000;

/** How often the nodes are asked for their version, which the claimed one follows. One small call to each. */
export interface VersionLimits {
  /** So that an upgrade of the node is known before its network's upgrade, at which its peers check our claim again. */
  versionIntervalMs: number;
  /** While most peers hang up on us. */
  turnedAwayIntervalMs: number;
  /** How soon it is noticed that they do. */
  versionTickMs: number;
}

const DEFAULT_VERSION_LIMITS: VersionLimits = {
  versionIntervalMs: 60_000,
  turnedAwayIntervalMs: 5_000,
  versionTickMs: 1_000,
};

interface Logger {
  debug(message: string): void;
  log(message: string): void;
  warn(message: string): void;
}

/** The p2p connections of one network, with the addresses and the claimed version that its nodes tell. */
export class NetworkPeers {
  private readonly tracked = new Map<string, { digest: string; release: () => void }>();
  private lastRefreshMs = -Infinity;
  private refreshing: Promise<void> | undefined;
  private lastVersionMs = performance.now();
  /** None when the operator has configured the version. */
  private versionTimer: NodeJS.Timeout | undefined;

  private constructor(
    private readonly network: Network,
    readonly peers: PeerNetwork,
    private readonly logger: Logger,
    private readonly limits: VersionLimits,
  ) {}

  /** Throws RpcError when the network's node cannot be asked. */
  static async start(
    network: Network,
    identity: TlsIdentity,
    logger: Logger,
    limits: Partial<VersionLimits & PeerNetworkLimits> = {},
  ): Promise<NetworkPeers> {
    const { config } = network;
    const configured =
      config.clientVersion === undefined ? undefined : parseClientVersion(config.clientVersion);
    const [networkId, peerInfos, versions] = await Promise.all([
      network.getNetworkId(),
      network.info.peers(),
      configured === undefined ? askForVersions(network) : [],
    ]);
    const clientVersion =
      configured ??
      chooseClientVersion({ nodes: versions, peers: versionsOf(peerInfos), claimed: undefined });
    const allowPrivateAddresses = config.allowPrivatePeers ?? (await isNodePrivate(config.nodeUrls));
    const peers = new PeerNetwork({ networkId, identity, clientVersion, allowPrivateAddresses, limits });
    logger.log(
      `p2p on ${network.name} (network ${networkId}) as ${identity.nodeId}, ` +
        `client version ${formatClientVersion(clientVersion)}` +
        (allowPrivateAddresses ? ', private addresses allowed' : ''),
    );
    const started = new NetworkPeers(network, peers, logger, { ...DEFAULT_VERSION_LIMITS, ...limits });
    await started.learn(peerInfos);
    if (configured === undefined) started.followVersion();
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
    clearInterval(this.versionTimer);
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
      const peerInfos = await this.network.info.peers();
      await this.learn(peerInfos);
      if (this.versionAgeMs() >= this.limits.turnedAwayIntervalMs) await this.refreshVersion(peerInfos);
    } catch (error) {
      this.logger.warn(`addresses of ${this.network.name}'s peers not refreshed: ${String(error)}`);
    }
  }

  /** Also while nobody asks for signatures: at the next request the connections are to be there. */
  private followVersion(): void {
    this.versionTimer = setInterval(() => {
      const { turnedAwayIntervalMs, versionIntervalMs } = this.limits;
      const intervalMs = this.peers.isTurnedAway ? turnedAwayIntervalMs : versionIntervalMs;
      if (this.versionAgeMs() >= intervalMs) void this.refreshVersion([]);
    }, this.limits.versionTickMs).unref();
  }

  private versionAgeMs(): number {
    return performance.now() - this.lastVersionMs;
  }

  /** Never rejects: a node that does not answer leaves the claimed version as it is. */
  private async refreshVersion(peerInfos: readonly PeerInfo[]): Promise<void> {
    if (this.versionTimer === undefined) return;
    this.lastVersionMs = performance.now();
    const nodes = await askForVersions(this.network);
    const claimed = this.peers.clientVersion;
    const version = chooseClientVersion({ nodes, peers: versionsOf(peerInfos), claimed });
    if (compareVersions(version, claimed) === 0) return;
    this.peers.setClientVersion(version);
    this.logger.log(
      `p2p on ${this.network.name}: client version ${formatClientVersion(version)} from now on`,
    );
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

function versionsOf(peerInfos: readonly PeerInfo[]): string[] {
  return peerInfos.map(({ version }) => version);
}

/** What each of the network's nodes says it runs: upgrades come to one after the other. Nodes that do not say are left out. */
async function askForVersions({ rpc }: Network): Promise<string[]> {
  const answers = await Promise.allSettled(
    rpc.perNode().map((node) => new InfoClient(node).getNodeVersion()),
  );
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value.version] : []));
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
