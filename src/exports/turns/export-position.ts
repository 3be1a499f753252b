import { z } from 'zod';
import { greatest } from '../../avalanche/bigints.js';
import { type Address, readAddress } from '../../avalanche/evm/rpc/hex-values.js';
import type {
  EvmExportRequest,
  ExportLimits,
  ExportProgress,
  ExportRequest,
} from '../../../workflows/contracts/export-transactions.js';
import { describeDoubts, describeUnnamed, type Findings, FindingsSchema } from '../search/findings.js';
import { addDays, countDays, type Day, dayIn, earlier, later } from './days.js';
import {
  describeGaps,
  type ExportGaps,
  ExportGapsSchema,
  type GapChain,
  hasGaps,
  type MissingRows,
  missingOn,
  openDayOf,
} from './export-gaps.js';
import { AddressSchema, CountSchema, DaySchema, HeightSchema } from '../record-schemas.js';
import { NO_TOKENS, type TokenSums, TokenSumsSchema } from './token-sums.js';

/**
 * Where an export stands. It is on record with every part, so that any process can go on from there.
 *
 * An export goes through slices of whole days, and within a slice through all chains in the order of the request: so that
 * whenever it ends, all chains are complete up to the same day.
 */
export interface ExportPosition {
  /** IANA name of the zone whose days are exported. */
  readonly timeZone: string;
  readonly state: ExportProgress['state'];
  /** First day that is in no slice yet. */
  readonly nextDay: Day;
  /** Days that the next slice should have. */
  readonly sliceDays: number;
  readonly slice: Slice | null;
  /** By chain id, the first height behind the slices so far: the next one begins there, so that none is left out. */
  readonly starts: Readonly<Record<string, bigint>>;
  /** By chain id, the first height of all. */
  readonly firsts: Readonly<Record<string, bigint>>;
  readonly rows: number;
  /** Calls to nodes for what is not indexed. */
  readonly nodeCalls: number;
  /** How accounts were searched for where the index has no blocks. */
  readonly findings: Findings;
  /** Addresses that are known to have a key, whatever is found. */
  readonly signers: readonly Address[];
  readonly tokens: TokenSums;
  readonly notes: readonly string[];
  readonly gaps: ExportGaps;
}

/** The days of an export: those that were asked for, and the last one that can have rows by now. */
export interface Period extends Pick<ExportRequest, 'firstDate' | 'lastDate'> {
  readonly until: Day;
}

export interface Slice {
  readonly firstDay: Day;
  readonly lastDay: Day;
  readonly rows: number;
  readonly nodeCalls: number;
  /** The chains that have blocks in these days. */
  readonly chains: readonly ChainSlice[];
}

/** A chain's blocks in a slice; the last one is decided once, or the end would move while the chain grows. */
export interface ChainSlice {
  /** Null in a ledger, where all chains go together: its heights are UNIX seconds. */
  readonly chainId: bigint | null;
  readonly fromHeight: bigint;
  readonly toHeight: bigint;
  readonly nextHeight: bigint;
  /** Roughly how much of the search for the next rows is done, from 0 to 1. */
  readonly searched: number;
}

/** Result of one step for the chain at hand. */
export interface Step {
  /** Last height of it. */
  readonly toHeight: bigint;
  readonly rows: number;
  readonly nodeCalls: number;
  readonly searched: number;
}

/** A slice grows to about so many rows, and is followed by a shorter one when it has far more. */
const FIT_ROWS = 100_000;
const MANY_ROWS = 200_000;
/** The same of calls to nodes: some minutes of those that a public one answers. */
const FEW_CALLS = 2_000;
const MANY_CALLS = 20_000;
/** Quiet days show little of the next ones. */
const MAX_GROWTH = 8;
const MAX_SLICE_DAYS = 31;
const MAX_NOTES = 50;

export const PositionSchema: z.ZodType<ExportPosition> = z.object({
  timeZone: z.string(),
  state: z.enum(['more', 'done', 'truncated']),
  nextDay: DaySchema,
  sliceDays: CountSchema,
  slice: z
    .object({
      firstDay: DaySchema,
      lastDay: DaySchema,
      rows: CountSchema,
      nodeCalls: CountSchema,
      chains: z.array(
        z.object({
          chainId: HeightSchema.nullable(),
          fromHeight: HeightSchema,
          toHeight: HeightSchema,
          nextHeight: HeightSchema,
          searched: z.number().min(0).max(1),
        }),
      ),
    })
    .nullable(),
  starts: z.record(z.string(), HeightSchema),
  firsts: z.record(z.string(), HeightSchema),
  rows: CountSchema,
  nodeCalls: CountSchema,
  findings: FindingsSchema,
  signers: z.array(AddressSchema),
  tokens: TokenSumsSchema,
  notes: z.array(z.string()),
  gaps: ExportGapsSchema,
});

/** Throws ZodError when it is none. */
export function unpackPosition(value: unknown): ExportPosition {
  return PositionSchema.parse(value);
}

/** JSON text of a position, or of what has some in it. */
export function packPosition(position: object): string {
  return JSON.stringify(position, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value));
}

export function beginExport({
  firstDate,
  timeZone,
  signers = [],
}: Pick<ExportRequest, 'firstDate' | 'timeZone'> &
  Partial<Pick<EvmExportRequest, 'signers'>>): ExportPosition {
  return {
    timeZone,
    state: 'more',
    nextDay: firstDate,
    sliceDays: 1,
    slice: null,
    starts: {},
    firsts: {},
    rows: 0,
    nodeCalls: 0,
    findings: {},
    signers: signers.map((signer) => readAddress(signer, 'signer')),
    tokens: NO_TOKENS,
    notes: [],
    gaps: {},
  };
}

/** One who plans no heights, but times. */
export function beginTimeSlice(
  position: ExportPosition,
  {
    firstDay,
    lastDay,
    from,
    behind,
  }: Pick<Slice, 'firstDay' | 'lastDay'> & { readonly from: number; readonly behind: number },
): ExportPosition {
  const [fromHeight, toHeight] = [BigInt(from), BigInt(behind - 1)];
  const stretch = { chainId: null, fromHeight, toHeight, nextHeight: fromHeight, searched: 0 };
  return {
    ...position,
    nextDay: addDays(lastDay, 1),
    slice: { firstDay, lastDay, rows: 0, nodeCalls: 0, chains: [stretch] },
  };
}

/** A last day in the future means up to now. */
export function periodOf({ firstDate, lastDate }: ExportRequest, today: Day): Period {
  return { firstDate, lastDate, until: later(firstDate, earlier(lastDate, today)) };
}

/** A slice's days, and for each chain its first height and the first one behind it. */
export interface SlicePlan {
  readonly firstDay: Day;
  readonly lastDay: Day;
  readonly chains: readonly { chainId: bigint; fromHeight: bigint; behind: bigint }[];
}

export function beginSlice(
  position: ExportPosition,
  { firstDay, lastDay, chains }: SlicePlan,
): ExportPosition {
  const withBlocks = chains.filter(({ fromHeight, behind }) => fromHeight < behind);
  return {
    ...position,
    nextDay: addDays(lastDay, 1),
    // Never lower than where the slice begins: a node that lags may have no block yet of days that are in the file.
    starts: Object.fromEntries(
      chains.map(({ chainId, fromHeight, behind }) => [chainId.toString(), greatest(fromHeight, behind)]),
    ),
    firsts: {
      ...Object.fromEntries(chains.map(({ chainId, fromHeight }) => [chainId.toString(), fromHeight])),
      ...position.firsts,
    },
    slice: {
      firstDay,
      lastDay,
      rows: 0,
      nodeCalls: 0,
      chains: withBlocks.map(({ chainId, fromHeight, behind }) => ({
        chainId,
        fromHeight,
        toHeight: behind - 1n,
        nextHeight: fromHeight,
        searched: 0,
      })),
    },
  };
}

/** The chain at hand; undefined when the slice is complete. */
export function currentChain({ chains }: Slice): ChainSlice | undefined {
  return chains.find(({ nextHeight, toHeight }) => nextHeight <= toHeight);
}

export function takeStep(
  position: ExportPosition,
  slice: Slice,
  chain: ChainSlice,
  step: Step,
): ExportPosition {
  const { toHeight, rows, nodeCalls, searched } = step;
  const chains = slice.chains.map((each) =>
    each === chain ? { ...chain, nextHeight: toHeight + 1n, searched } : each,
  );
  return {
    ...position,
    rows: position.rows + rows,
    nodeCalls: position.nodeCalls + nodeCalls,
    slice: {
      ...slice,
      chains,
      rows: slice.rows + rows,
      nodeCalls: slice.nodeCalls + nodeCalls,
    },
  };
}

/** Behind a complete slice: the end, or the next slice and how long it should be. */
export function endSlice(
  position: ExportPosition,
  slice: Slice,
  period: Period,
  limits: ExportLimits,
): ExportPosition {
  const rowsLeft = limits.maxRows - position.rows;
  const ended: ExportPosition = { ...position, slice: null, sliceDays: daysAfter(slice, rowsLeft) };
  const isOver = position.nextDay > period.until;
  const isAtLimit = position.rows >= limits.maxRows || position.nodeCalls >= limits.maxNodeCalls;
  if (!isOver && !isAtLimit) return ended;
  const state = nextDateOf(position, period) === undefined ? 'done' : 'truncated';
  return { ...(isOver ? ended : addNote(ended, 'the export has reached its limit')), state };
}

/**
 * Where the next export should begin: the first day that is asked for, and not in the file or not proved whole; of a position between two
 * slices. Always behind the first day: a chain none of whose days is proved does not count, or it would hold the others up forever.
 * undefined when nothing is left, and when no chain has a whole day.
 */
export function nextDateOf(
  { nextDay, starts, gaps }: ExportPosition,
  { firstDate, lastDate }: Pick<Period, 'firstDate' | 'lastDate'>,
): Day | undefined {
  const openDays = Object.keys(starts).map((chainId) => openDayOf(gaps, chainId));
  const ofChains = openDays.filter((day) => day === undefined || day > firstDate);
  if (ofChains.length === 0) return undefined;
  const days = ofChains.filter((day) => day !== undefined);
  if (nextDay <= lastDate) days.push(nextDay);
  return days.length === 0 ? undefined : days.reduce(earlier);
}

/** No more than there is room for when the next days have as many rows as these: a slice is never left in the middle. */
function daysAfter(slice: Slice, rowsLeft: number): number {
  const { rows } = slice;
  const days = countDays(slice.firstDay, slice.lastDay);
  const fitting = rows === 0 ? Infinity : Math.max(1, Math.floor((rowsLeft * days) / rows));
  return Math.min(wantedAfter(slice, days), fitting);
}

function wantedAfter({ rows, nodeCalls }: Slice, days: number): number {
  if (rows > MANY_ROWS || nodeCalls > MANY_CALLS) return Math.ceil(days / 2);
  // Few calls make no difference: a file from nodes has its rows in the order of one from the index.
  if (nodeCalls >= FEW_CALLS) return days;
  const growth = Math.min(FIT_ROWS / rows, MAX_GROWTH);
  return Math.min(Math.floor(Math.max(growth, 1) * days), MAX_SLICE_DAYS);
}

/** Adds notes that are not there yet. */
export function addNote(position: ExportPosition, note: string): ExportPosition {
  const { notes } = position;
  if (notes.includes(note) || notes.length >= MAX_NOTES) return position;
  return { ...position, notes: [...notes, note] };
}

/** Rows of one kind are missing from one block to another. */
export function addMissing(
  position: ExportPosition,
  chain: GapChain,
  rows: MissingRows,
  from: BlockTime,
  to: BlockTime,
): ExportPosition {
  const days = {
    first: dayIn(position.timeZone, from.timestampSeconds),
    last: dayIn(position.timeZone, to.timestampSeconds),
  };
  return { ...position, gaps: missingOn(position.gaps, chain, rows, days) };
}

interface BlockTime {
  readonly timestampSeconds: number;
}

export function toProgress(position: ExportPosition, period: Period, bytes: number): ExportProgress {
  const { state, slice, nextDay, rows, notes, gaps, findings, signers } = position;
  const chain = slice === null ? undefined : currentChain(slice);
  const doubts = describeDoubts(findings, signers);
  return {
    state,
    rows,
    bytes,
    percentage: percentageOf(position, period),
    day: state === 'more' ? (slice?.firstDay ?? nextDay) : null,
    chainId: chain?.chainId?.toString() ?? null,
    nextDate: state === 'truncated' ? (nextDateOf(position, period) ?? null) : null,
    notes: [...notes, ...describeGaps(gaps), ...doubts, ...describeUnnamed(findings)],
    hasGaps: hasGaps(gaps) || doubts.length > 0,
  };
}

/** By days; within a slice by chains, within a chain by heights. */
function percentageOf({ state, slice, nextDay }: ExportPosition, { firstDate, until }: Period): number {
  if (state === 'done') return 100;
  const complete = countDays(firstDate, slice?.firstDay ?? nextDay) - 1;
  const days = complete + (slice === null ? 0 : countDays(slice.firstDay, slice.lastDay) * shareOf(slice));
  const share = days / countDays(firstDate, until);
  return Math.min(99.9, Math.floor(share * 1000) / 10);
}

function shareOf({ chains }: Slice): number {
  const shares = chains.map(
    ({ fromHeight, toHeight, nextHeight, searched }) =>
      (Number(nextHeight - fromHeight) + searched * Number(toHeight - nextHeight + 1n)) /
      Number(toHeight - fromHeight + 1n),
  );
  return shares.length === 0 ? 1 : shares.reduce((sum, share) => sum + share, 0) / shares.length;
}
