import { hasSucceeded, KINDS, type Kind, type LoggedRequest, type RequestLog } from '../load/request-log.js';
import type { Episode } from '../sequence.js';
import type { Verdict } from './verdict.js';

const SHOWN = 5;
/** How long the service waits for Temporal, or for a connection to Postgres, before it answers that they are away. */
const OUTAGE_AFTER_MS = 5_000;
const OUTAGE = /the (?:workflow engine \(Temporal\)|database) is not available/;

/** Of one kind during one fault; `fault` is empty for the times between them. */
interface RequestSummary {
  readonly fault: string;
  readonly kind: Kind;
  readonly total: number;
  readonly failures: Readonly<Record<string, number>>;
}

/** The requests that a fault may have touched, and those that none has. */
export function divide(
  log: RequestLog,
  episodes: readonly Episode[],
): Map<Episode | undefined, LoggedRequest[]> {
  const divided = new Map<Episode | undefined, LoggedRequest[]>();
  for (const request of log.requests) {
    const episode = episodes.find(
      ({ beganAt, recoveredAt }) => request.endedAt >= beganAt && request.startedAt <= recoveredAt,
    );
    divided.set(episode, [...(divided.get(episode) ?? []), request]);
  }
  return divided;
}

export function summarise(log: RequestLog, episodes: readonly Episode[]): RequestSummary[] {
  return [...divide(log, episodes)].flatMap(([episode, requests]) =>
    KINDS.map((kind) => {
      const own = requests.filter((request) => request.kind === kind);
      const failed = own.filter((request) => !hasSucceeded(request));
      const failures = Object.fromEntries(countBy(failed, ({ outcome }) => String(outcome)));
      return { fault: episode?.fault.name ?? '', kind, total: own.length, failures };
    }),
  );
}

export function countBy<T>(values: readonly T[], nameOf: (value: T) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(nameOf(value), (counts.get(nameOf(value)) ?? 0) + 1);
  return counts;
}

/** No caller has seen a failure that the fault does not allow, and none without a fault, but for those of a standstill in a small run. */
export function judgeRequests(
  log: RequestLog,
  episodes: readonly Episode[],
  { isSmall }: { isSmall: boolean },
): Verdict[] {
  const divided = divide(log, episodes);
  return [undefined, ...episodes].map((episode) => {
    const requests = divided.get(episode) ?? [];
    const failures = requests.filter((request) => !hasSucceeded(request));
    const wrong = failures.filter(
      (request) =>
        !isAtLimit(request) &&
        !(isSmall && isOfStandstill(request)) &&
        (episode === undefined || !episode.fault.allows(request)),
    );
    const examples = wrong.slice(0, SHOWN).map(describe).join('; ');
    return {
      what: `${episode?.fault.name ?? 'between faults'}: callers see only failures that are allowed`,
      holds: wrong.length === 0,
      details: `${requests.length} requests, ${failures.length} failed${wrong.length === 0 ? '' : `, ${wrong.length} of them in ways that are not allowed: ${examples}`}`,
    };
  });
}

/** Of the key's plan. */
function isAtLimit({ outcome, hasRetryAfter }: LoggedRequest): boolean {
  return outcome === 429 && hasRetryAfter;
}

/** A test's run: its machine, busy with other tests, may stand still for as long as the service has patience. */
function isOfStandstill({ outcome, hasRetryAfter, message, startedAt, endedAt }: LoggedRequest): boolean {
  const isLate = endedAt - startedAt >= OUTAGE_AFTER_MS;
  return outcome === 503 && hasRetryAfter && isLate && OUTAGE.test(message);
}

function describe({ kind, api, route, outcome, message, startedAt, endedAt }: LoggedRequest): string {
  return `${kind} (${route}) at ${api}: ${outcome} after ${Math.round(endedAt - startedAt)} ms, ${message}`;
}
