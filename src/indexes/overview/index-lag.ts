import type { IndexProgressResponse } from '../../platform/http/openapi/index-progress.response.js';
import type { IndexPlace } from '../engine/following/index-place.js';

/** The last report of an index or audit. */
export type IndexReport = Readonly<IndexProgressResponse> & { readonly updatedAt: Date };

interface IndexedBlock {
  readonly height: bigint;
  /** UNIX seconds. */
  readonly time: number;
}

/** State of an index or audit in Postgres. */
export interface IndexRecord extends IndexPlace {
  /** The newest indexed block; facets and audits have none. */
  readonly block?: IndexedBlock | undefined;
  /** Absent before the first one, and while the index is not configured. */
  readonly report?: IndexReport;
  /** When a node last told the index how long the chain is; absent with the report. */
  readonly tipSeenAt?: Date;
}

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
  readonly tipSeenAt: Date;
}

export interface LagLimits {
  /** An index with a larger lag is far behind, and lists of its rows are refused; 0: none is. */
  readonly maxLagSeconds: number;
}

/** So few blocks are never far: where blocks are rare, the last indexed one may be old although the next has just been accepted. */
export const FEW_BLOCKS = 100n;

/**
 * The lag is how far an index is behind its chain. At the tip only the silence of the chain counts, since it is unknown then what has
 * happened: no worker lives, or none of its nodes. The time of the last block means nothing there, as a quiet chain has none.
 */
export function positionOf(
  { block, report, tipSeenAt }: IndexRecord,
  { maxLagSeconds }: LagLimits,
  nowMs: number,
): IndexPosition {
  if (block === undefined) return { kind: 'never started' };
  if (report?.tip === undefined || tipSeenAt === undefined) return { kind: 'unknown' };
  const { tip } = report;
  const silentSeconds = secondsSince(tipSeenAt, nowMs);
  const isAtTip = BigInt(tip) - block.height <= FEW_BLOCKS;
  const lagSeconds = isAtTip ? silentSeconds : Math.max(silentSeconds, nowMs / 1_000 - block.time);
  const isFar = maxLagSeconds > 0 && lagSeconds > maxLagSeconds;
  const kind = isFar ? 'far behind' : isAtTip ? 'current' : 'catching up';
  return { kind, lagSeconds, block, tip, tipSeenAt };
}

export function secondsSince(time: Date, nowMs: number): number {
  return Math.max(0, (nowMs - time.getTime()) / 1_000);
}
