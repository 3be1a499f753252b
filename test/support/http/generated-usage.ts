import type { DataSource } from 'typeorm';
// The usage's own groupBy is a parameter of requests.
import { groupBy as groupsOf } from '../../../src/avalanche/group-by.js';
import type { ApiUsageQuery } from '../../../src/resources/api-usage/dto/api-usage.request.js';
import type {
  UsageMetricResponse,
  UsageValueResponse,
} from '../../../src/resources/api-usage/dto/api-usage.response.js';
import type { Grouping, TimeInterval } from '../../../src/access/usage/usage.js';

/** A row of the log. */
export interface LoggedRequest {
  at: Date;
  org_id: string;
  api_key_id: string | null;
  request_path: string;
  response_code: number;
  chain_id: string | null;
  units: number;
  duration_ms: number;
  requests: number;
}

/** Requests of some organisations, keys, paths and chains over the days until now, the same shares each time. */
export async function generateRequests(
  dataSource: DataSource,
  { count, days }: { count: number; days: number },
): Promise<void> {
  await dataSource.query(
    `INSERT INTO api_requests (at, org_id, api_key_id, request_path, response_code, chain_id, units, duration_ms, requests)
     SELECT now() - i * interval '${days} days' / ${count}, 'org-' || 1 + i % 3,
       ('00000000-0000-4000-8000-' || lpad((10 * (1 + i % 3) + i / 3 % 2)::text, 12, '0'))::uuid,
       '/v1/path/' || 1 + i / 7 % 12,
       (ARRAY[200, 200, 200, 200, 200, 201, 400, 404, 429, 503])[1 + i / 11 % 10],
       (ARRAY['43114', 'p-chain', NULL])[1 + i / 5 % 3],
       (ARRAY[1, 20, 100])[1 + i / 13 % 3],
       exp((i::bigint * 7919 % 10007) / 1000.0),
       CASE WHEN i % 110 / 11 = 8 THEN 1 + i % 4 ELSE 1 END
       FROM generate_series(0, ${count - 1}) AS i`,
  );
}

export function loggedRequests(dataSource: DataSource): Promise<LoggedRequest[]> {
  return dataSource.query('SELECT * FROM api_requests ORDER BY at');
}

/** The answer that the service owes, from the log alone. */
export function usageByHand(
  requests: readonly LoggedRequest[],
  orgId: string,
  query: ApiUsageQuery,
): UsageMetricResponse[] {
  const { timeInterval, groupBy, startTimestamp = 0 } = query;
  const from = startTimestamp - (startTimestamp % 86_400);
  const own = requests.filter(
    (request) => request.org_id === orgId && request.at.getTime() / 1000 >= from && passes(request, query),
  );
  const times = groupsOf(own, ({ at }) => beginOf(timeInterval, at));
  return [...times]
    .sort(([a], [b]) => b - a)
    .map(([timestamp, ofTime]) => ({
      timestamp,
      values: [...groupsOf(ofTime, (request) => valueOf(request, groupBy))]
        .sort(([a], [b]) => compareValues(a, b, groupBy))
        .map(([groupValue, group]) =>
          toValue(group, groupBy, groupValue, secondsOf(timeInterval, timestamp)),
        ),
    }));
}

function passes(request: LoggedRequest, query: ApiUsageQuery): boolean {
  const { requestPath, responseCode, chainId, apiKeyId } = query;
  return (
    (requestPath === undefined || request.request_path === requestPath) &&
    (responseCode === undefined || String(request.response_code) === responseCode) &&
    (chainId === undefined || request.chain_id === chainId) &&
    (apiKeyId === undefined || request.api_key_id === apiKeyId)
  );
}

/** UNIX seconds. */
function beginOf(timeInterval: TimeInterval, at: Date): number {
  const begin = new Date(at);
  begin.setUTCSeconds(0, 0);
  if (timeInterval === 'minute') return begin.getTime() / 1000;
  begin.setUTCMinutes(0);
  if (timeInterval === 'hourly') return begin.getTime() / 1000;
  begin.setUTCHours(0);
  if (timeInterval === 'weekly') begin.setUTCDate(begin.getUTCDate() - ((begin.getUTCDay() + 6) % 7));
  if (timeInterval === 'monthly') begin.setUTCDate(1);
  return begin.getTime() / 1000;
}

function secondsOf(timeInterval: TimeInterval, timestamp: number): number {
  if (timeInterval === 'minute') return 60;
  if (timeInterval === 'hourly') return 3_600;
  if (timeInterval === 'daily') return 86_400;
  if (timeInterval === 'weekly') return 604_800;
  const begin = new Date(timestamp * 1000);
  const end = Date.UTC(begin.getUTCFullYear(), begin.getUTCMonth() + 1, 1);
  return end / 1000 - timestamp;
}

function valueOf(request: LoggedRequest, groupBy: Grouping | undefined): string | null {
  switch (groupBy) {
    case undefined:
      return null;
    case 'requestPath':
      return request.request_path;
    case 'responseCode':
      return String(request.response_code);
    case 'chainId':
      return request.chain_id;
    case 'apiKeyId':
      return request.api_key_id;
    case 'requestType':
      return 'data';
  }
}

/** Requests without one come last. */
function compareValues(a: string | null, b: string | null, groupBy: Grouping | undefined): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (groupBy === 'responseCode') return Number(a) - Number(b);
  return a < b ? -1 : 1;
}

function toValue(
  group: readonly LoggedRequest[],
  groupBy: Grouping | undefined,
  groupValue: string | null,
  seconds: number,
): UsageValueResponse {
  const invalid = group.filter(({ response_code }) => response_code >= 400 && response_code < 500);
  const times = group
    .flatMap(({ duration_ms, requests }) => Array.from({ length: requests }, () => duration_ms))
    .sort((a, b) => a - b);
  const countOf = (some: readonly LoggedRequest[]): number =>
    some.reduce((sum, { requests }) => sum + requests, 0);
  const unitsOf = (some: readonly LoggedRequest[]): number => some.reduce((sum, { units }) => sum + units, 0);
  return {
    groupedBy: groupBy ?? 'None',
    ...(groupValue === null ? {} : { groupValue }),
    totalRequests: times.length,
    requestsPerSecond: times.length / seconds,
    successRatePercent:
      (100 * countOf(group.filter(({ response_code }) => response_code < 400))) / times.length,
    medianResponseTimeMsecs: times[Math.ceil(times.length / 2) - 1] ?? NaN,
    invalidRequests: countOf(invalid),
    apiCreditsUsed: unitsOf(group),
    apiCreditsWasted: unitsOf(invalid),
  };
}
