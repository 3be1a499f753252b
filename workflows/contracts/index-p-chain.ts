import type { TaskQueue } from './task-queues.js';

/** The durable loop that keeps one network's P-chain in the database. One workflow per network, for ever. */
export const INDEXING_QUEUE: TaskQueue = 'indexing';

/** Signals, sent by operators from the Web UI or the Temporal CLI; none has arguments. */
export const INDEX_SIGNALS = {
  /** Stops reading after the batch at hand. */
  pause: 'pause',
  /** Goes on after `pause`, or tries again after a stop. */
  resume: 'resume',
  /** Forgets all rows of the network's P-chain and begins at the genesis. */
  reindex: 'reindex',
} as const;

/**
 * - `running`: catching up, or at the tip;
 * - `waiting`: something outside keeps it from going on, and it tries again by itself;
 * - `paused`: until `resume`;
 * - `stopped`: a block cannot be read or contradicts the state. Needs a person, then `resume` or `reindex`.
 */
export type IndexState = 'running' | 'waiting' | 'paused' | 'stopped';

export interface IndexPChainInput {
  network: string;
  /** How long one activity works before it reports, and how soon a dead worker is noticed, in milliseconds. */
  timeouts: { advanceMs: number; heartbeatMs: number };
  /** Events after which the workflow continues as new, besides the server's own suggestion. */
  maxHistoryLength: number;
  /** Where an earlier run was when it continued as this one. */
  carried?: IndexProgress;
}

/** Heights as decimal text. */
export interface IndexProgress {
  state: IndexState;
  height: string | null;
  tip: string | null;
  blocksPerSecond: number;
  secondsLeft: number | null;
  message: string | null;
}

export interface AdvancePChainInput {
  network: string;
  durationMs: number;
}

export interface RecordIndexStateInput {
  network: string;
  state: IndexState;
  message: string | null;
}

export interface NetworkInput {
  network: string;
}

export function makeIndexPChainWorkflowId(network: string): string {
  return `index:${network}:p-chain`;
}

/** Key of the workflow's memo that holds {@link IndexProgress}. */
export const INDEX_PROGRESS_MEMO = 'progress';
