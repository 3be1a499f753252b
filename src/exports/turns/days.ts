/** A day in UTC, YYYY-MM-DD: as text in the order of time. */
export type Day = string;

export const DAY_SECONDS = 86_400;

/** UNIX seconds of its midnight. */
export function startOf(day: Day): number {
  return Date.parse(`${day}T00:00:00Z`) / 1000;
}

export function dayOf(seconds: number): Day {
  return new Date(seconds * 1000).toISOString().slice(0, 10);
}

export function today(): Day {
  return dayOf(Date.now() / 1000);
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
