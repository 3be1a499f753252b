/** Upgrades that changed what the state follows from; others changed what is valid, or other chains. */
const UPGRADE_NAMES = ['banff', 'cortina', 'durango', 'etna', 'helicon'] as const;

type UpgradeName = (typeof UPGRADE_NAMES)[number];

/** When rules changed, UNIX seconds. */
export type UpgradeTimes = Readonly<Record<UpgradeName, number>>;

/** Of an upgrade that has no date. */
export const NEVER = Number.MAX_SAFE_INTEGER;

/** Of networks whose history is fixed (avalanchego v1.15.0 upgrade/upgrade.go), by network id. */
const KNOWN_UPGRADES: ReadonlyMap<number, UpgradeTimes> = new Map([
  [
    1,
    {
      banff: seconds('2022-10-18T16:00:00Z'),
      cortina: seconds('2023-04-25T15:00:00Z'),
      durango: seconds('2024-03-06T16:00:00Z'),
      etna: seconds('2024-12-16T17:00:00Z'),
      helicon: seconds('2026-09-22T15:00:00Z'),
    },
  ],
  [
    5,
    {
      banff: seconds('2022-10-03T14:00:00Z'),
      cortina: seconds('2023-04-06T15:00:00Z'),
      durango: seconds('2024-02-13T16:00:00Z'),
      etna: seconds('2024-11-25T16:00:00Z'),
      helicon: seconds('2026-07-28T15:00:00Z'),
    },
  ],
]);

/** Mainnet's and Fuji's; undefined for a network that may have any, which its nodes report. */
export function knownUpgrades(networkId: number): UpgradeTimes | undefined {
  return KNOWN_UPGRADES.get(networkId);
}

/**
 * Of a local network that was not configured otherwise (avalanchego v1.15.0 upgrade/upgrade.go, Default): everything but Helicon holds
 * from the beginning, and on networks of today Helicon, too.
 */
export function localUpgrades({ hasHelicon }: { hasHelicon: boolean }): UpgradeTimes {
  const begin = seconds('2020-12-05T05:00:00Z');
  const helicon = hasHelicon ? begin : seconds('9999-12-01T00:00:00Z'); // avalanchego's date for none
  return { banff: begin, cortina: begin, durango: begin, etna: begin, helicon };
}

/** Picks them from times by name; an upgrade that is not named has no date. */
export function toUpgradeTimes(timesSeconds: ReadonlyMap<string, number>): UpgradeTimes {
  const of = (name: UpgradeName): number => timesSeconds.get(name) ?? NEVER;
  return {
    banff: of('banff'),
    cortina: of('cortina'),
    durango: of('durango'),
    etna: of('etna'),
    helicon: of('helicon'),
  };
}

/**
 * In words where two schedules disagree about the rules up to a time, UNIX seconds; undefined when they do not. Dates after
 * it may still be set and moved.
 */
export function upgradeDifference(
  reported: UpgradeTimes,
  expected: UpgradeTimes,
  until: number,
): string | undefined {
  const name = UPGRADE_NAMES.find(
    (name) => reported[name] !== expected[name] && Math.min(reported[name], expected[name]) <= until,
  );
  return name === undefined ? undefined : `${name} ${dateOf(reported[name])}, not ${dateOf(expected[name])}`;
}

function dateOf(time: number): string {
  const date = new Date(time * 1000);
  return Number.isNaN(date.getTime()) ? 'never' : date.toISOString();
}

function seconds(date: string): number {
  return Date.parse(date) / 1000;
}
