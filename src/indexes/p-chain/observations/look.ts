import { isIP, isIPv4 } from 'node:net';
import type { PeerNetwork } from '../../../avalanche/p2p/network/peer-network.js';
import type { ClientVersion } from '../../../avalanche/p2p/peer/handshake.js';
import { InfoClient, type PeerInfo } from '../../../avalanche/rpc/info-client.js';
import type { JsonRpcClient } from '../../../avalanche/rpc/json-rpc-client.js';
import { PlatformClient } from '../../../avalanche/rpc/platform-client.js';
import type { CurrentValidator } from '../../../avalanche/rpc/platform-schemas.js';

/** Observation of a node by another that it is connected to. */
export interface SeenNode {
  readonly nodeId: string;
  readonly isBenchedOnP: boolean;
  readonly isBenchedOnX: boolean;
  readonly isBenchedOnC: boolean;
  /** The version that it reports. */
  readonly version: string | null;
  /** IP addresses: that of the connection, and the one that the node claims. */
  readonly addresses: readonly string[];
}

/** The report of one node. */
export interface NodeObservation {
  /** Percent by node id; undefined when it did not report. */
  readonly uptimes: ReadonlyMap<string, number> | undefined;
  /** Undefined if it did not report its peers, or has none: then it is itself the node that cannot be reached. */
  readonly seen: readonly SeenNode[] | undefined;
}

/** Throws the first failure when the node answers neither question; gateways may refuse one of them for good. */
export async function observeNode(rpc: JsonRpcClient, signal: AbortSignal): Promise<NodeObservation> {
  const info = new InfoClient(rpc);
  const [validators, peers, self] = await Promise.allSettled([
    new PlatformClient(rpc).getCurrentValidators({ signal }),
    info.peers({ signal }),
    Promise.all([info.getNodeId({ signal }), info.getNodeVersion({ signal })]),
  ]);
  if (validators.status === 'rejected' && peers.status === 'rejected') throw validators.reason;
  const current = validators.status === 'fulfilled' ? validators.value : undefined;
  const [identity, named] = self.status === 'fulfilled' ? self.value : [];
  const own = { nodeId: identity?.nodeId, version: named?.version ?? '' };
  return {
    uptimes: current && uptimesOf(current),
    seen: peers.status === 'fulfilled' ? seenNodes(peers.value, current ?? [], own) : undefined,
  };
}

/** By our own connections, where no node can be asked: who is connected, and not how long it was up. */
export function observePeers(peers: Pick<PeerNetwork, 'connectedPeers' | 'hostsOf'>): NodeObservation {
  const seen = peers.connectedPeers().map(({ nodeId, clientVersion }) => ({
    ...NOTHING_MORE,
    nodeId,
    version: versionText(clientVersion),
    addresses: peers.hostsOf(nodeId).filter((host) => isIP(host) !== 0),
  }));
  return { uptimes: undefined, seen: seen.length === 0 ? undefined : seen };
}

/** As nodes report it. */
export function versionText(version: ClientVersion | undefined): string | null {
  if (version === undefined) return null;
  const { name, major, minor, patch } = version;
  return shownVersion(`${name}/${major}.${minor}.${patch}`);
}

/** Only the primary network's validators have an uptime. */
function uptimesOf(validators: readonly CurrentValidator[]): Map<string, number> {
  const uptimes = new Map<string, number>();
  for (const validator of validators) {
    if (validator.kind !== 'staker' || validator.uptimePercentage === undefined) continue;
    if (validator.uptimePercentage < 0 || validator.uptimePercentage > 100) continue;
    uptimes.set(validator.nodeId, validator.uptimePercentage);
  }
  return uptimes;
}

/** A validator that is asked itself is not among its own peers, but reports itself as connected. */
function seenNodes(
  peers: readonly PeerInfo[],
  validators: readonly CurrentValidator[],
  own: { readonly nodeId: string | undefined; readonly version: string },
): SeenNode[] | undefined {
  const seen = new Map(peers.map((peer) => [peer.nodeId, seenPeer(peer)]));
  for (const validator of validators) {
    if (validator.kind !== 'staker' || validator.connected !== true || seen.has(validator.nodeId)) continue;
    const version = validator.nodeId === own.nodeId ? shownVersion(own.version) : null;
    seen.set(validator.nodeId, { ...NOTHING_MORE, nodeId: validator.nodeId, version });
  }
  return seen.size === 0 ? undefined : [...seen.values()];
}

const NOTHING_MORE = {
  isBenchedOnP: false,
  isBenchedOnX: false,
  isBenchedOnC: false,
  version: null,
  addresses: [],
} as const;

/** Names as avalanchego prints them, of its own choice: printable, and never long. */
const VERSION = /^[\w.+-]{1,32}\/[\w.+-]{1,32}$/;

function shownVersion(version: string): string | null {
  return VERSION.test(version) ? version : null;
}

function seenPeer({ nodeId, benched, version, ip, publicIp }: PeerInfo): SeenNode {
  return {
    nodeId,
    // The node's own names of the chains; a node whose configuration renames them reports no benched peers.
    isBenchedOnP: benched.includes('P'),
    isBenchedOnX: benched.includes('X'),
    isBenchedOnC: benched.includes('C'),
    version: shownVersion(version),
    addresses: [ip, publicIp].flatMap(addressOf),
  };
}

/** The IP address of `1.2.3.4:9651` or `[2001:db8::1]:9651`. */
function addressOf(text: string): string[] {
  const host = /^\[?([\da-fA-F.:]{2,45}?)\]?:\d{1,5}$/.exec(text)?.[1] ?? '';
  const mapped = host.replace(/^::ffff:/i, '');
  if (isIPv4(mapped)) return [mapped];
  return isIP(host) === 0 ? [] : [host];
}
