import { DAY_SECONDS } from '../../platform/time.js';

/** YYYY-MM-DD: as text in the order of time. */
export type Day = string;

/** Needs no time zone's rules. */
const UTC = 'UTC';

const FORMATS = new Map<string, Intl.DateTimeFormat>();
/** No zone is further from UTC. */
const MAX_OFFSET_SECONDS = 15 * 3_600;

/** UNIX seconds of its midnight in UTC. */
export function startOf(day: Day): number {
  return Date.parse(`${day}T00:00:00Z`) / 1000;
}

/** UNIX seconds of its first moment in a time zone, which need not be a midnight: clocks may be put forward then. */
export function startIn(timeZone: string, day: Day): number {
  if (timeZone === UTC) return startOf(day);
  let before = startOf(day) - MAX_OFFSET_SECONDS;
  let start = startOf(day) + MAX_OFFSET_SECONDS;
  while (start - before > 1) {
    const middle = Math.floor((before + start) / 2);
    if (dayIn(timeZone, middle) < day) before = middle;
    else start = middle;
  }
  return start;
}

export function dayOf(seconds: number): Day {
  return new Date(seconds * 1000).toISOString().slice(0, 10);
}

export function dayIn(timeZone: string, seconds: number): Day {
  return timeZone === UTC ? dayOf(seconds) : formatOf(timeZone).format(new Date(seconds * 1000));
}

export function todayIn(timeZone: string): Day {
  return dayIn(timeZone, Date.now() / 1000);
}

/** Canadians write dates as ISO 8601 does. One is kept for each zone, as making it takes long. */
function formatOf(timeZone: string): Intl.DateTimeFormat {
  const format =
    FORMATS.get(timeZone) ??
    new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
  FORMATS.set(timeZone, format);
  return format;
}

export function addDays(day: Day, count: number): Day {
  return dayOf(startOf(day) + count * DAY_SECONDS);
}

/** Days from the first to the last, both included. */
export function countDays(first: Day, last: Day): number {
  return (startOf(last) - startOf(first)) / DAY_SECONDS + 1;
}

export function earlier(a: Day, b: Day): Day {
  return a < b ? a : b;
}

export function later(a: Day, b: Day): Day {
  return a < b ? b : a;
}
