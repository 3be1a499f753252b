/** One chain's index, whatever its kind: what activities drive and the rest of the service looks at. */

export interface IndexerOptions {
  /** How often the tip is asked for once it is reached. */
  readonly pollMs: number;
  /** Blocks per transaction while catching up. */
  readonly batchBlocks: number;
}

export interface IndexerProgress {
  readonly state: 'running' | 'waiting';
  readonly height: bigint;
  readonly tip: bigint | null;
  readonly blocksPerSecond: number;
  /** Null when it cannot be told. */
  readonly secondsLeft: number | null;
  /** Why it waits. */
  readonly message: string | null;
}

export interface AdvanceRequest {
  readonly durationMs: number;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: IndexerProgress) => void;
}

export interface Indexer {
  /**
   * Goes on for about `durationMs`: catches up, then follows the tip. All that it reports is on record.
   * Throws what keeps it from going on; `mustStop` tells whether that may pass by itself.
   */
  advance(request: AdvanceRequest): Promise<IndexerProgress>;
}
