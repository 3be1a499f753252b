/**
 * How long a node of a test has for an answer. It runs on the same busy machine, where any process may stand still for seconds: a limit
 * that passes then makes a good node a bad one. Only tests of what an index does about one that is silent have a shorter one.
 */
export const NODE_PATIENCE_MS = 60_000;

/** Of the node at this position; the usual one where nothing is given. */
export function timeoutOf(timeoutMs: number | readonly number[] | undefined, position: number): number {
  return (typeof timeoutMs === 'object' ? timeoutMs[position] : timeoutMs) ?? NODE_PATIENCE_MS;
}
