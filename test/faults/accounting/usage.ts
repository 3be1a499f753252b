import type pg from 'pg';
import type { LoggedRequest, RequestLog } from '../load/request-log.js';
import { countBy } from './requests.js';
import type { Verdict } from './verdict.js';

/** Records that a killed process has not stored: it does so every second, and storing takes a moment. */
const LOSS_MS = 2_000;

export interface Kill {
  readonly process: string;
  readonly at: number;
}

/**
 * Whether the usage metrics know every answer. They do not know a 503 of a time when nobody could look up whose key it was, nor the
 * last second of a process that was killed.
 */
export async function accountForUsage(options: {
  pool: pg.Pool;
  orgId: string;
  log: RequestLog;
  kills: readonly Kill[];
}): Promise<Verdict> {
  const { pool, orgId, log, kills } = options;
  const { rows } = await pool.query<{ name: string; count: string }>(
    `SELECT request_path || ' ' || response_code AS name, sum(requests) AS count FROM api_requests WHERE org_id = $1 GROUP BY 1`,
    [orgId],
  );
  const counted = new Map(rows.map(({ name, count }) => [name, Number(count)]));
  const answered = countBy(log.requests.filter(hasAnswer), ({ route, outcome }) => `${route} ${outcome}`);
  const [lost, surplus] = [new Map<string, number>(), new Map<string, number>()];
  for (const name of new Set([...answered.keys(), ...counted.keys()])) {
    const difference = (counted.get(name) ?? 0) - (answered.get(name) ?? 0);
    if (difference < 0) lost.set(name, -difference);
    if (difference > 0) surplus.set(name, difference);
  }
  const unavailable = [...lost].filter(([name]) => name.endsWith(' 503'));
  const others = [...lost].filter(([name]) => !name.endsWith(' 503'));
  const mayBeLost = log.requests.filter(
    (request) =>
      hasAnswer(request) &&
      kills.some(({ process, at }) => process === request.api && isJustBefore(request.endedAt, at)),
  ).length;
  // A request whose answer never came may have been counted.
  const mayBeSurplus = log.requests.filter(
    ({ outcome }) => outcome === 'broken' || outcome === 'silent',
  ).length;
  return {
    what: 'usage counts every answer once, but for the last seconds of a killed process and a 503 without Postgres',
    holds: sum(others) <= mayBeLost && sum(surplus) <= mayBeSurplus,
    details:
      `${sum(answered)} answers; not counted: ${sum(others)} (${mayBeLost} may be lost) and ${sum(unavailable)} with 503; ` +
      `counted beyond them: ${sum(surplus)} (${mayBeSurplus} had no answer)${describe([...others, ...surplus])}`,
  };
}

function hasAnswer({ outcome }: LoggedRequest): boolean {
  return typeof outcome === 'number';
}

function isJustBefore(time: number, killedAt: number): boolean {
  return time > killedAt - LOSS_MS && time <= killedAt;
}

function sum(counts: Iterable<readonly [string, number]>): number {
  return [...counts].reduce((total, [, count]) => total + count, 0);
}

function describe(counts: readonly (readonly [string, number])[]): string {
  return counts.map(([name, count]) => `; ${count} × ${name}`).join('');
}
