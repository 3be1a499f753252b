import { Turns } from '../../../avalanche/turns.js';
import type { ReadContext } from '../following/chain-follower.js';
import { mustStop } from '../following/index.error.js';
import { isNodeError, type NamedNode, NodeFailure } from '../following/node-failure.js';
import { WriteBehind } from '../following/write-behind.js';

/** Other work of this process (signatures, heartbeats) waits no longer than this for blocks to be applied. */
const MAX_TURN_MS = 10;
/** Also a slow node's blocks are on record after this time. */
const MAX_BATCH_MS = 5_000;

export interface Batching<Step> {
  readonly node: NamedNode;
  /** Reads from the node and applies piece by piece. Throws what `isNodeError` knows for what the node is to blame for. */
  readonly steps: AsyncIterable<Step>;
  /** How much of a batch a step is. */
  readonly sizeOf: (step: Step) => number;
  readonly batchSize: number;
  /** Whether what was applied so far can be written: always, when left out. */
  readonly isWhole?: () => boolean;
  /** Writes what was applied since the last call; begun when that one has ended, while nothing is applied. */
  readonly flush: () => Promise<void>;
  /** Drops what is in memory, for it may not be what is on record. */
  readonly forget: () => void;
}

/**
 * Takes steps, and writes one batch of them while the next one is read. Throws NodeFailure for what another node may do better; what
 * came before it is written.
 */
export async function copyInBatches<Step>(
  batching: Batching<Step>,
  { until, report }: Pick<ReadContext, 'until' | 'report'>,
): Promise<void> {
  const { node, forget } = batching;
  const writing = new WriteBehind();
  const flush = (): Promise<void> => writing.begin(() => batching.flush().then(() => void report()));
  try {
    try {
      await take(batching, until, flush);
    } catch (error) {
      if (!isNodeError(error)) throw error;
      await flush(); // what came before is good
      throw new NodeFailure(node, error);
    }
    await flush();
  } finally {
    await writing.settle().catch((error: unknown) => {
      forget();
      // A batch whose rows contradict the database is the node's fault, or ours: another node decides.
      if (mustStop(error)) throw new NodeFailure(node, error);
      throw error;
    });
  }
}

async function take<Step>(
  { steps, sizeOf, batchSize, isWhole = () => true }: Batching<Step>,
  until: number,
  flush: () => Promise<void>,
): Promise<void> {
  let taken = 0;
  let batchStartedAt = performance.now();
  const turns = new Turns(MAX_TURN_MS);
  for await (const step of steps) {
    taken += sizeOf(step);
    await turns.next();
    if (!isWhole()) continue;
    const now = performance.now();
    if (taken >= batchSize || now - batchStartedAt > MAX_BATCH_MS) {
      await flush();
      taken = 0;
      batchStartedAt = now;
    }
    if (now >= until) return;
  }
}
