import { setTimeout as delay } from 'node:timers/promises';
import { Differences } from './differences.js';

/** Times that one comparison is tried while blocks come in between. */
const ATTEMPTS = 12;
const RETRY_MS = 500;

export interface AuditReport {
  readonly height: bigint;
  readonly comparisons: number;
  readonly skipped: readonly string[];
  readonly differences: readonly string[];
  /** Whether what it is there for was compared at all; when left out, whether anything was. */
  readonly isDone?: boolean;
}

export interface Comparison<State> {
  /** The node's. */
  readonly height: () => Promise<bigint>;
  /** The recorded values; undefined when they are not of this height. */
  readonly stateAt: (height: bigint) => Promise<State | undefined>;
  readonly run: (state: State, differences: Differences) => Promise<void>;
  readonly signal: AbortSignal;
}

/**
 * Differences count only when the node stood at the height of our state before and after it was asked, and when they are found a second
 * time: behind one address may be several nodes, of which the one that is asked for its height is not the one that lags. Null when the
 * chain never stood still long enough.
 */
export async function compareAtOneHeight<State>(comparison: Comparison<State>): Promise<Differences | null> {
  const { height: heightOfNode, stateAt, run, signal } = comparison;
  let isSuspected = false;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (attempt > 0) await delay(RETRY_MS, undefined, { signal });
    const height = await heightOfNode();
    const state = await stateAt(height);
    if (state === undefined) continue;
    const differences = new Differences();
    await run(state, differences);
    if (differences.found.length === 0) return differences;
    const isSettled = (await stateAt(height)) !== undefined && (await heightOfNode()) === height;
    if (!isSettled) continue;
    if (isSuspected) return differences;
    isSuspected = true;
  }
  return null;
}
