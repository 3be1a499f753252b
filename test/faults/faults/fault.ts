import type { Random } from '../../../sandbox/generated/evm-chain-generator.js';
import type { Kind, LoggedRequest } from '../load/request-log.js';
import type { Topology } from '../topology/topology.js';

/** Means of a fault while it lasts. */
export interface FaultContext {
  readonly topology: Topology;
  readonly random: Random;
  hold(seconds: number): Promise<void>;
  /** From now on the service is left to itself, and the time of its recovery counts. */
  over(): void;
  /** Something that must be so. A complaint breaks the run. */
  expect(what: string, holds: boolean, details?: string): void;
  /** Something worth reporting. */
  note(text: string): void;
  /** Seconds until all indexes are at the tip; undefined when they are not in time. */
  untilAtTip(timeoutSeconds: number): Promise<number | undefined>;
}

export interface Fault {
  readonly name: string;
  /** For the table: what is done to whom. */
  readonly what: string;
  /** Failures that callers may see, from its beginning until the service has recovered. */
  allows(request: LoggedRequest): boolean;
  /** Why it cannot be had here; undefined when it can. */
  missing?(topology: Topology): string | undefined;
  /** Does it and undoes it. */
  run(context: FaultContext): Promise<void>;
}

export function nothing(): boolean {
  return false;
}

/** "Come back later", for some kinds of requests. */
export function unavailable(...kinds: readonly Kind[]): Fault['allows'] {
  return ({ kind, outcome, hasRetryAfter }) =>
    outcome === 503 && hasRetryAfter && (kinds.length === 0 || kinds.includes(kind));
}

/** Of processes that are killed: connections that end, and nobody who listens. */
export function gone(...apis: readonly string[]): Fault['allows'] {
  return ({ api, outcome }) => apis.includes(api) && (outcome === 'broken' || outcome === 'refused');
}

export function pickOne<T>(values: readonly T[], random: Random): T {
  const value = values[random(values.length)];
  if (value === undefined) throw new Error('nothing to pick from');
  return value;
}
