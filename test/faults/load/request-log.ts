export const KINDS = [
  'lists',
  'aggregations',
  'exports',
  'operations',
  'downloads',
  'messages',
  'usage',
] as const;
export type Kind = (typeof KINDS)[number];

/**
 * The answer's status; `refused`: nobody listens; `broken`: the connection ended before the answer did; `silent`: no answer in the
 * time that any of them may take.
 */
export type Outcome = number | 'refused' | 'broken' | 'silent';

export interface LoggedRequest {
  readonly kind: Kind;
  /** Name of the process that was asked. */
  readonly api: string;
  /** As the usage metrics name it. */
  readonly route: string;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly outcome: Outcome;
  /** Whether an error has a Retry-After. */
  readonly hasRetryAfter: boolean;
  /** Description of an error. */
  readonly message: string;
}

export function hasSucceeded({ outcome }: LoggedRequest): boolean {
  return outcome === 200 || outcome === 201;
}

/** Every request of the run, in the order of their ends. Times are milliseconds of this process's monotonic clock. */
export class RequestLog {
  readonly requests: LoggedRequest[] = [];

  add(request: LoggedRequest): void {
    this.requests.push(request);
  }

  /** Those that were under way at some time between the two. */
  between(from: number, to: number): LoggedRequest[] {
    return this.requests.filter(({ startedAt, endedAt }) => endedAt >= from && startedAt <= to);
  }
}
