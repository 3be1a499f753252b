import { compareVersions, type ClientVersion } from '../../../avalanche/p2p/peer/handshake.js';

/** Claimed when no node can be asked: what mainnet and Fuji run, and their lowest compatible version, since Helicon. */
export const DEFAULT_CLIENT_VERSION: ClientVersion = { name: 'avalanchego', major: 1, minor: 15, patch: 0 };

const VERSION = /^(\d{1,4})\.(\d{1,4})\.(\d{1,4})$/;
const NODE_VERSION = /^avalanchego\/([\d.]+)$/;

/** `1.15.0`; undefined for what is not a version. */
export function parseClientVersion(text: string): ClientVersion | undefined {
  const [major, minor, patch] = VERSION.exec(text)?.slice(1).map(Number) ?? [];
  return major === undefined || minor === undefined || patch === undefined
    ? undefined
    : { name: DEFAULT_CLIENT_VERSION.name, major, minor, patch };
}

export function formatClientVersion({ major, minor, patch }: ClientVersion): string {
  return `${major}.${minor}.${patch}`;
}

/**
 * The version to claim from now on. Peers refuse versions below a floor that moves with every upgrade, and majors above
 * their own, so:
 *
 * - The highest that one of our own nodes runs counts: one that is upgraded late takes nothing back, also behind a load
 *   balancer, where it is asked only now and then. Another major version replaces the claimed one, lower or higher: a
 *   nonsensical minor is accepted by everyone, a nonsensical major by nobody, and must not stay.
 * - When none of them reports one, the middle one of their peers' versions: those were accepted, and a few peers that claim
 *   something else do not move it.
 */
export function chooseClientVersion({
  nodes,
  peers,
  claimed,
}: {
  /** As `info.getNodeVersion` of our nodes has them. */
  nodes: readonly string[];
  /** As `info.peers` has them. */
  peers: readonly string[];
  claimed: ClientVersion | undefined;
}): ClientVersion {
  const peerVersions = sortedVersions(peers);
  const told = sortedVersions(nodes).at(-1) ?? peerVersions[Math.floor(peerVersions.length / 2)];
  if (told === undefined) return claimed ?? DEFAULT_CLIENT_VERSION;
  const isOlder = claimed?.major === told.major && compareVersions(claimed, told) > 0;
  return isOlder ? claimed : told;
}

/** Lowest first, without those that are none. */
function sortedVersions(texts: readonly string[]): ClientVersion[] {
  return texts
    .flatMap((text) => parseClientVersion(NODE_VERSION.exec(text)?.[1] ?? '') ?? [])
    .sort(compareVersions);
}
