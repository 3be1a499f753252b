import type { AvalanchegoBinaries, AvalanchegoVersion } from './binaries.js';

/** The first version that knows Helicon. On a local network it is active where the binary activates it. */
const HELICON = { major: 1, minor: 15 } as const;

/** Flags of nodes on which a staking may be as short as a scenario. */
export function stakingFlags({ version }: AvalanchegoBinaries, minSeconds: number): string[] {
  const flags = [`--min-stake-duration=${minSeconds}s`];
  // Since Helicon validators have a minimum of their own; delegators keep the old one.
  return knowsHelicon(version) ? [...flags, `--helicon-min-stake-duration=${minSeconds}s`] : flags;
}

export function knowsHelicon({ major, minor }: Pick<AvalanchegoVersion, 'major' | 'minor'>): boolean {
  return major > HELICON.major || (major === HELICON.major && minor >= HELICON.minor);
}
