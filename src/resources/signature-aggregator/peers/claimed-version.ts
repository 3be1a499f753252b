import type { Logger } from '../../../avalanche/logger.js';
import { compareVersions, type ClientVersion } from '../../../avalanche/p2p/peer/handshake.js';
import type { PeerNetwork } from '../../../avalanche/p2p/network/peer-network.js';
import { InfoClient, type PeerInfo } from '../../../avalanche/rpc/info-client.js';
import type { Network } from '../../../platform/networks/network.js';
import { chooseClientVersion, formatClientVersion } from './client-version.js';

/** How often the nodes are asked for their version, which the claimed one follows. One small call to each. */
export interface VersionLimits {
  /** So that an upgrade of the node is known before its network's upgrade, at which its peers check our claim again. */
  versionIntervalMs: number;
  /** While most peers hang up on us. */
  turnedAwayIntervalMs: number;
  /** How soon it is noticed that they do. */
  versionTickMs: number;
}

export const DEFAULT_VERSION_LIMITS: VersionLimits = {
  versionIntervalMs: 60_000,
  turnedAwayIntervalMs: 5_000,
  versionTickMs: 1_000,
};

/** Keeps the version that we claim to peers in step with that of our own nodes, even while no signatures are requested. */
export class ClaimedVersion {
  private lastAskedAtMs = performance.now();
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly network: Network,
    private readonly peers: PeerNetwork,
    private readonly logger: Logger,
    private readonly limits: VersionLimits,
  ) {
    this.timer = setInterval(() => this.tick(), limits.versionTickMs).unref();
  }

  close(): void {
    clearInterval(this.timer);
  }

  /** Versions of some peers have just been reported, and count as well. */
  async hear(peerInfos: readonly PeerInfo[]): Promise<void> {
    if (this.ageMs() >= this.limits.turnedAwayIntervalMs) await this.refresh(peerInfos);
  }

  /** Never rejects: nodes that do not answer leave the version as it is. */
  private async refresh(peerInfos: readonly PeerInfo[] = []): Promise<void> {
    this.lastAskedAtMs = performance.now();
    const nodes = await askForVersions(this.network);
    const claimed = this.peers.clientVersion;
    const version = chooseClientVersion({ nodes, peers: versionsOf(peerInfos), claimed });
    if (compareVersions(version, claimed) === 0) return;
    this.peers.setClientVersion(version);
    this.logger.log(
      `p2p on ${this.network.name}: client version ${formatClientVersion(version)} from now on`,
    );
  }

  private tick(): void {
    const { turnedAwayIntervalMs, versionIntervalMs } = this.limits;
    const intervalMs = this.peers.isTurnedAway ? turnedAwayIntervalMs : versionIntervalMs;
    if (this.ageMs() >= intervalMs) void this.refresh();
  }

  private ageMs(): number {
    return performance.now() - this.lastAskedAtMs;
  }
}

/** The version to begin with. */
export async function firstClientVersion(
  network: Network,
  peerInfos: readonly PeerInfo[],
): Promise<ClientVersion> {
  const nodes = await askForVersions(network);
  return chooseClientVersion({ nodes, peers: versionsOf(peerInfos), claimed: undefined });
}

function versionsOf(peerInfos: readonly PeerInfo[]): string[] {
  return peerInfos.map(({ version }) => version);
}

/** The version that each of the network's nodes reports: upgrades come to one after the other. Nodes without a report are left out. */
async function askForVersions({ rpc }: Network): Promise<string[]> {
  const answers = await Promise.allSettled(
    rpc.perNode().map((node) => new InfoClient(node).getNodeVersion()),
  );
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value.version] : []));
}
