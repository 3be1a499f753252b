import type { IndexState } from '../../../workflows/contracts/index-chain.js';
import { isAudit } from '../../platform/database/chains.js';
import type { IndexPlace } from '../engine/following/index-place.js';
import {
  type IndexPosition,
  type IndexRecord,
  type IndexReport,
  type LagLimits,
  positionOf,
  secondsSince,
} from './index-lag.js';

/** Whether an index works: the state in its report, or `silent` if a living worker would have reported since. */
type IndexActivity = IndexState | 'silent';

export interface ReportedIndex extends IndexPlace {
  readonly report: IndexReport;
  readonly silentSeconds: number;
  readonly activity: IndexActivity;
  readonly position: IndexPosition;
}

export interface OverviewLimits extends LagLimits {
  /** A working index reports at least this often. */
  readonly maxSilenceSeconds: number;
}

/** An audit runs every hour, and takes its time. */
const AUDIT_MAX_SILENCE_SECONDS = 3 * 3_600;

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
