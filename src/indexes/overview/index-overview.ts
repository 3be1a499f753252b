import type { IndexState } from '../../../workflows/contracts/index-chain.js';
import { isAudit } from '../../platform/database/chains.js';
import type { IndexProgressResponse } from '../../platform/http/openapi/index-progress.response.js';
import type { IndexPlace } from '../engine/following/index-place.js';

/** The last report of an index or audit. */
export type IndexReport = Readonly<IndexProgressResponse> & { readonly updatedAt: Date };

interface IndexedBlock {
  readonly height: bigint;
  /** UNIX seconds. */
  readonly time: number;
}

/** What Postgres has of an index or audit. */
export interface IndexRecord extends IndexPlace {
  /** The newest indexed block; facets and audits have none. */
  readonly block?: IndexedBlock;
  /** Absent before the first one, and while the index is not configured. */
  readonly report?: IndexReport;
}

/** Whether an index works: the state in its report, or `silent` if a living worker would have reported since. */
type IndexActivity = IndexState | 'silent';

/**
 * How far an index is. It is independent of its activity: a stopped index is current at first, and far behind after a while.
 * `unknown`: it has blocks, but has not reported how many the chain has.
 */
export type IndexPosition = { readonly kind: 'never started' | 'unknown' } | KnownPosition;

export interface KnownPosition {
  readonly kind: 'current' | 'catching up' | 'far behind';
  readonly lagSeconds: number;
  readonly block: IndexedBlock;
  readonly tip: string;
  readonly reportedAt: Date;
}

export interface ReportedIndex extends IndexPlace {
  readonly report: IndexReport;
  readonly silentSeconds: number;
  readonly activity: IndexActivity;
  readonly position: IndexPosition;
}

export interface OverviewLimits {
  /** A working index reports at least this often. */
  readonly maxSilenceSeconds: number;
  /** An index with a larger lag is far behind; 0: none is. */
  readonly maxLagSeconds: number;
}

/** An audit runs every hour, and takes its time. */
const AUDIT_MAX_SILENCE_SECONDS = 3 * 3_600;

/** So few blocks are never far: where blocks are rare, the last indexed one may be old although the next has just been accepted. */
export const FEW_BLOCKS = 100n;

/** Undefined without a report. */
export function overviewOf(
  record: IndexRecord,
  limits: OverviewLimits,
  nowMs: number,
): ReportedIndex | undefined {
  const { network, chain, report } = record;
  if (report === undefined) return undefined;
  const silentSeconds = secondsSince(report.updatedAt, nowMs);
  const maxSilence = isAudit(chain) ? AUDIT_MAX_SILENCE_SECONDS : limits.maxSilenceSeconds;
  const activity = silentSeconds > maxSilence && isAtWork(report.state) ? 'silent' : report.state;
  return { network, chain, report, silentSeconds, activity, position: positionOf(record, limits, nowMs) };
}

/** The others wait for a person, and have nothing to report. */
function isAtWork(state: IndexState): boolean {
  return state === 'running' || state === 'waiting';
}

/**
 * The lag is how far an index is behind its chain. At the tip only silence counts, since it is unknown then what has happened; the
 * time of the last block says nothing there, as a quiet chain has none.
 */
export function positionOf(
  { block, report }: IndexRecord,
  { maxLagSeconds }: Pick<OverviewLimits, 'maxLagSeconds'>,
  nowMs: number,
): IndexPosition {
  if (block === undefined) return { kind: 'never started' };
  if (report?.tip === undefined) return { kind: 'unknown' };
  const { tip, updatedAt: reportedAt } = report;
  const silentSeconds = secondsSince(reportedAt, nowMs);
  const isAtTip = BigInt(tip) - block.height <= FEW_BLOCKS;
  const lagSeconds = isAtTip ? silentSeconds : Math.max(silentSeconds, nowMs / 1_000 - block.time);
  const isFar = maxLagSeconds > 0 && lagSeconds > maxLagSeconds;
  const kind = isFar ? 'far behind' : isAtTip ? 'current' : 'catching up';
  return { kind, lagSeconds, block, tip, reportedAt };
}

function secondsSince(time: Date, nowMs: number): number {
  return Math.max(0, (nowMs - time.getTime()) / 1_000);
}
