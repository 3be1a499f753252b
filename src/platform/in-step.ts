/** Of shorter waits nobody notices what they cost. */
const SHORT_MS = 1_000;
/** Steps in a wait. */
const STEPS = 4;

/**
 * About so long, to an end that others who wait for as long have, too: what many do at once costs a process a fraction of what it costs
 * one after the other.
 */
export function inStep(ms: number, now = Date.now()): number {
  if (ms < SHORT_MS) return ms;
  const stepMs = ms / STEPS;
  return Math.round((now + ms) / stepMs) * stepMs - now;
}
