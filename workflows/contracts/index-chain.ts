import type { TaskQueue } from './task-queues.js';

/** The durable loop that keeps one index of a chain in the database. One workflow per index, which never ends. */
export const INDEXING_QUEUE: TaskQueue = 'indexing';

/** Signals, sent by operators from the Web UI or the Temporal CLI. */
export const INDEX_SIGNALS = {
  /** Stops reading after the batch at hand. */
  pause: 'pause',
  /** Goes on after `pause`, or tries again after a stop. */
  resume: 'resume',
  /** Forgets rows and reads them again: all of the index, or a {@link ReindexPart}. */
  reindex: 'reindex',
} as const;

/**
 * - `running`: catching up, or at the tip;
 * - `waiting`: something outside keeps it from going on, and it tries again by itself;
 * - `paused`: until `resume`;
 * - `stopped`: a block cannot be read or contradicts the state. Needs a person, then `resume` or `reindex`.
 */
export const INDEX_STATES = ['running', 'waiting', 'paused', 'stopped'] as const;
export type IndexState = (typeof INDEX_STATES)[number];

/** Which index: `p-chain`; `evm-{chain id}` follows an EVM chain, `evm-{chain id}:{facet}` fills in one facet of it. */
export interface IndexPlaceInput {
  network: string;
  chain: string;
}

/** How many more workers read older blocks of an EVM chain while that takes longer than a turn. */
export const HISTORY_BUILDERS = 3;
/** Suffix of the names of those indexes. */
export const HISTORY_SUFFIX = ':base';

/**
 * A part that is to be read again; a field that is left out is everything. Heights are decimal text, both included. The rows answer
 * until there are new ones. Of an EVM chain's tip with `from` alone: goes back to the block beneath it, and what is above is forgotten at once.
 */
export interface ReindexPart {
  facet?: string;
  from?: string;
  to?: string;
}

export interface IndexChainInput extends IndexPlaceInput {
  /** For people. */
  title: string;
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
  /** Whom the blocks come from, where that is known. */
  source?: string | undefined;
  message: string | null;
}

export interface AdvanceIndexInput extends IndexPlaceInput {
  durationMs: number;
}

export interface BuildHistoryInput extends AdvanceIndexInput {
  /** Counts those who work on the same history, from 1. */
  builder: number;
}

export interface RecordIndexStateInput extends IndexPlaceInput {
  state: IndexState;
  message: string | null;
}

export type ResetIndexInput = IndexPlaceInput & ReindexPart;

export function makeIndexWorkflowId({ network, chain }: IndexPlaceInput): string {
  return `index:${network}:${chain}`;
}

/** Key of the workflow's memo that holds {@link IndexProgress}. */
export const INDEX_PROGRESS_MEMO = 'progress';
