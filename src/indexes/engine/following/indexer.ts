/** One index, whatever its kind: what activities drive and the rest of the service looks at. */

/** How often it looks for new blocks at the tip. */
export const POLL_INTERVAL_MS = 1_000;
/** An index that lacks nothing is woken when its chain is written, by whichever process; after so many polls it looks by itself. */
export const IDLE_POLLS = 60;

export interface IndexerProgress {
  readonly state: 'running' | 'waiting';
  readonly height: bigint;
  readonly tip: bigint | null;
  readonly blocksPerSecond: number;
  /** Null when it is not known. */
  readonly secondsLeft: number | null;
  /** Whom the blocks come from, for people; absent where that is not known. */
  readonly source?: string | undefined;
  /** Why it waits, or further remarks. */
  readonly message: string | null;
}

export interface AdvanceRequest {
  readonly durationMs: number;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: IndexerProgress) => void;
}

export interface Indexer {
  /**
   * Goes on for about `durationMs`. All that it reports is on record.
   * Throws what keeps it from going on; `mustStop` decides whether that may pass by itself.
   */
  advance(request: AdvanceRequest): Promise<IndexerProgress>;
  /** Drops what it remembers, e.g. because the rows were wiped. */
  forget(): void;
}

/** Range to forget and read again; the whole index when it is empty. Heights are both included. */
export interface ReindexRequest {
  readonly facet?: string;
  readonly from?: bigint;
  readonly to?: bigint;
}

/** An index of this process, by its place. */
export interface OpenIndex {
  readonly indexer: Indexer;
  /** For people. */
  readonly title: string;
  /** Forgets rows, so that they are read again. Throws RangeError for what this index does not have. */
  reset(request: ReindexRequest): Promise<void>;
}

/** A kind of chain: what is one folder. */
export interface IndexKind {
  /** Undefined for another kind's. Throws when the chain is not in this process's configuration. */
  find(place: { readonly network: string; readonly chain: string }): OpenIndex | undefined;
}
