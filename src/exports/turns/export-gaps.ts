import { z } from 'zod';
import type { PrimaryChain } from '../../platform/database/chains.js';
import { addDays, type Day, earlier, later } from './days.js';
import { CountSchema, DaySchema, HeightSchema } from '../record-schemas.js';

/** Days, both included. */
export interface DayRange {
  readonly first: Day;
  readonly last: Day;
}

/** Parts of a chain that are not wholly in the file. */
interface ChainGaps {
  /** As readers know the chain. */
  readonly chain: string;
  /** From where on nothing proves its days whole; null while each day is proved. */
  readonly open: OpenEnd | null;
  /** Days of which internal transfers are missing, ascending. */
  readonly untraced: readonly DayRange[];
  /** Days of which imports and exports are missing, ascending. */
  readonly withoutAtomic: readonly DayRange[];
  /** Days of which all rows are missing, ascending. */
  readonly unindexed: readonly DayRange[];
  /** Days of which rows are being made again, ascending. */
  readonly outdated: readonly DayRange[];
  /** Days of whose tokens some have no names and decimals, ascending. */
  readonly unlabelled: readonly DayRange[];
  /** Whether what the chain's genesis gives is missing. */
  readonly withoutGenesis: boolean;
  /** Whether what upgrades of the chain's rules give is missing. */
  readonly withoutUpgrades: boolean;
}

/** Content that may be missing, or wrong, by itself on some days. */
export type MissingRows = 'untraced' | 'withoutAtomic' | 'unindexed' | 'outdated' | 'unlabelled';

export interface OpenEnd {
  /** First day that is not proved whole. */
  readonly day: Day;
  /** Newest block that was known then. */
  readonly height: bigint;
  readonly timestampSeconds: number;
}

/** By chain id. */
export type ExportGaps = Readonly<Record<string, ChainGaps>>;

/** Of more stretches than a reader takes in, the last one goes on to the end. */
const MAX_DAY_RANGES = 20;

const DayRangesSchema = z.array(z.object({ first: DaySchema, last: DaySchema }));

export const ExportGapsSchema = z.record(
  z.string(),
  z.object({
    chain: z.string(),
    open: z
      .object({
        day: DaySchema,
        height: HeightSchema,
        timestampSeconds: CountSchema,
      })
      .nullable(),
    untraced: DayRangesSchema,
    withoutAtomic: DayRangesSchema,
    unindexed: DayRangesSchema,
    outdated: DayRangesSchema,
    unlabelled: DayRangesSchema,
    withoutGenesis: z.boolean(),
    withoutUpgrades: z.boolean(),
  }),
);

export interface GapChain {
  /** Of a chain of the primary network its letter. */
  readonly chainId: bigint | PrimaryChain;
  readonly name: string;
}

/** The first time counts: whatever arrives later, the earlier days were not proved complete when their rows were read. */
export function openAt(gaps: ExportGaps, chain: GapChain, end: OpenEnd): ExportGaps {
  const known = gapsOf(gaps, chain);
  return known.open === null ? withGaps(gaps, chain, { ...known, open: end }) : gaps;
}

/** Days in the order of time, some of them again. */
export function missingOn(
  gaps: ExportGaps,
  chain: GapChain,
  missing: MissingRows,
  { first, last }: DayRange,
): ExportGaps {
  const known = gapsOf(gaps, chain);
  const days = known[missing];
  const before = days.at(-1);
  const isMerged =
    before !== undefined && (first <= addDays(before.last, 1) || days.length >= MAX_DAY_RANGES);
  const merged = isMerged
    ? [...days.slice(0, -1), { first: earlier(before.first, first), last: later(before.last, last) }]
    : [...days, { first, last }];
  return withGaps(gaps, chain, { ...known, [missing]: merged });
}

export function genesisMissing(gaps: ExportGaps, chain: GapChain): ExportGaps {
  return withGaps(gaps, chain, { ...gapsOf(gaps, chain), withoutGenesis: true });
}

export function upgradesMissing(gaps: ExportGaps, chain: GapChain): ExportGaps {
  return withGaps(gaps, chain, { ...gapsOf(gaps, chain), withoutUpgrades: true });
}

/** First day of a chain that is not proved complete; undefined if all are. */
export function openDayOf(gaps: ExportGaps, chainId: string): Day | undefined {
  return gaps[chainId]?.open?.day;
}

export function hasGaps(gaps: ExportGaps): boolean {
  return describeGaps(gaps).length > 0;
}

/** Whether rows that change balances of a chain's coin are missing, or may be wrong. */
export function lacksRows(gaps: ExportGaps, chainId: string): boolean {
  const known = gaps[chainId];
  if (known === undefined) return false;
  const { untraced, withoutAtomic, unindexed, outdated, withoutGenesis, withoutUpgrades } = known;
  const days = [untraced, withoutAtomic, unindexed, outdated];
  return withoutGenesis || withoutUpgrades || days.some((ranges) => ranges.length > 0);
}

/** In words, a sentence each. */
export function describeGaps(gaps: ExportGaps): string[] {
  return Object.values(gaps).flatMap(describeChain);
}

function describeChain({ chain, open, ...missing }: ChainGaps): string[] {
  return [
    ...(open === null ? [] : [describeOpenEnd(chain, open)]),
    ...(missing.withoutGenesis
      ? [`${chain}: its genesis allocations are not in the file, because its creation is not indexed yet`]
      : []),
    ...(missing.withoutUpgrades
      ? [
          `${chain}: coins from upgrades of its rules are not in the file, because its nodes do not know the upgrades`,
        ]
      : []),
    ...describeMissing(`${chain}: internal transfers`, 'they were not traced', missing.untraced),
    ...describeMissing(`${chain}: imports and exports`, 'they are not indexed yet', missing.withoutAtomic),
    ...describeMissing(`${chain}: rows`, 'it is not indexed', missing.unindexed),
    ...describeUnlabelled(chain, missing.unlabelled),
    ...describeOutdated(chain, missing.outdated),
  ];
}

function describeOpenEnd(chain: string, { day, height, timestampSeconds }: OpenEnd): string {
  const time = new Date(timestampSeconds * 1000).toISOString().slice(0, 19).replace('T', ' ');
  return `${chain}: days from ${day} on may be incomplete, as its newest known block was ${height} of ${time} UTC`;
}

function describeMissing(what: string, why: string, ranges: readonly DayRange[]): string[] {
  if (ranges.length === 0) return [];
  return [`${what} of some or all blocks are not in the file, because ${why}, on ${textOf(ranges)}`];
}

function describeUnlabelled(chain: string, ranges: readonly DayRange[]): string[] {
  if (ranges.length === 0) return [];
  return [
    `${chain}: names and decimals of some tokens are not in the file, because no node could be asked yet, on ${textOf(ranges)}`,
  ];
}

function describeOutdated(chain: string, ranges: readonly DayRange[]): string[] {
  if (ranges.length === 0) return [];
  return [
    `${chain}: rows of some or all blocks are being made again, and may differ then, on ${textOf(ranges)}`,
  ];
}

function textOf(ranges: readonly DayRange[]): string {
  return ranges.map(({ first, last }) => (first === last ? first : `${first} to ${last}`)).join(', ');
}

function gapsOf(gaps: ExportGaps, { chainId, name }: GapChain): ChainGaps {
  return (
    gaps[chainId.toString()] ?? {
      chain: typeof chainId === 'bigint' ? `${name} (${chainId})` : name,
      open: null,
      untraced: [],
      withoutAtomic: [],
      unindexed: [],
      outdated: [],
      unlabelled: [],
      withoutGenesis: false,
      withoutUpgrades: false,
    }
  );
}

function withGaps(gaps: ExportGaps, { chainId }: GapChain, changed: ChainGaps): ExportGaps {
  return { ...gaps, [chainId.toString()]: changed };
}
