import { hasSucceeded, KINDS, type Kind, type LoggedRequest, type RequestLog } from '../load/request-log.js';
import type { Episode } from '../sequence.js';
import type { Verdict } from './verdict.js';

const SHOWN = 5;

interface RequestCounts {
  readonly total: number;
  readonly failures: Readonly<Record<string, number>>;
}

/** Of one kind during one fault; `fault` is empty for the times between them. */
export interface RequestSummary extends RequestCounts {
  readonly fault: string;
  readonly kind: Kind;
}

/** The requests that a fault may have touched, and those that none has. */
function divide(log: RequestLog, episodes: readonly Episode[]): Map<Episode | undefined, LoggedRequest[]> {
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
    KINDS.map((kind) => ({
      fault: episode?.fault.name ?? '',
      kind,
      ...count(requests.filter((request) => request.kind === kind)),
    })),
  );
}

function count(requests: readonly LoggedRequest[]): RequestCounts {
  const failures: Record<string, number> = {};
  for (const request of requests) {
    if (hasSucceeded(request)) continue;
    failures[request.outcome] = (failures[request.outcome] ?? 0) + 1;
  }
  return { total: requests.length, failures };
}

/** No caller has seen a failure that the fault does not allow, and none without a fault. */
export function judgeRequests(log: RequestLog, episodes: readonly Episode[]): Verdict[] {
  const divided = divide(log, episodes);
  return [undefined, ...episodes].map((episode) => {
    const requests = divided.get(episode) ?? [];
    const failures = requests.filter((request) => !hasSucceeded(request));
    const wrong = failures.filter((request) => episode === undefined || !episode.fault.allows(request));
    const examples = wrong.slice(0, SHOWN).map(describe).join('; ');
    return {
      what: `${episode?.fault.name ?? 'between faults'}: callers see only failures that are allowed`,
      holds: wrong.length === 0,
      details: `${requests.length} requests, ${failures.length} failed${wrong.length === 0 ? '' : `, ${wrong.length} of them in ways that are not allowed: ${examples}`}`,
    };
  });
}

function describe({ kind, api, route, outcome, message, startedAt, endedAt }: LoggedRequest): string {
  return `${kind} (${route}) at ${api}: ${outcome} after ${Math.round(endedAt - startedAt)} ms, ${message}`;
}
