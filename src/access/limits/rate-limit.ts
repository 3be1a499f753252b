import { MINUTE_SECONDS, DAY_SECONDS } from '../../platform/time.js';

/** Cost units that one subject may spend in a minute and in a day, by the clock (UTC). */
export interface Limits {
  readonly perMinute: number;
  readonly perDay: number;
}

export function areEqual(a: Limits, b: Limits): boolean {
  return a.perMinute === b.perMinute && a.perDay === b.perDay;
}

/** Units that a subject has spent in the current minute and day. */
export interface Spent {
  readonly minuteUnits: number;
  readonly dayUnits: number;
  /** Of the clock that counts, UNIX seconds. */
  readonly now: number;
}

export interface Verdict {
  readonly isGranted: boolean;
  /** Of the limit that is closest to being used up. */
  readonly remaining: number;
  /** Of the window that refuses: time until the next window begins. */
  readonly retryAfterSeconds: number;
  readonly limit: number;
}

export function verdictOf(isGranted: boolean, cost: number, limits: Limits, spent: Spent): Verdict {
  const minute = {
    limit: limits.perMinute,
    left: limits.perMinute - spent.minuteUnits,
    seconds: MINUTE_SECONDS,
  };
  const day = { limit: limits.perDay, left: limits.perDay - spent.dayUnits, seconds: DAY_SECONDS };
  // A refusal shows what refuses, and for longer; otherwise what ends first counts.
  const shown = day.left < (isGranted ? minute.left : cost) ? day : minute;
  return {
    isGranted,
    limit: shown.limit,
    remaining: Math.max(0, shown.left),
    retryAfterSeconds: Math.ceil(shown.seconds - (spent.now % shown.seconds)),
  };
}
