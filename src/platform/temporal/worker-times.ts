import type { Env } from '../config/env.schema.js';

/**
 * Times of activities by task queue, all in proportion to the silence after which a worker counts as dead. What takes longer to move
 * to another worker may be silent for longer. A turn ends so early that little is done again when its worker dies.
 */
export function workerTimes({ WORKER_SILENCE_MS: silenceMs }: Pick<Env, 'WORKER_SILENCE_MS'>) {
  return {
    signatures: { heartbeatMs: silenceMs },
    exports: { heartbeatMs: 2 * silenceMs, turnMs: 2 * silenceMs },
    nfts: { heartbeatMs: 3 * silenceMs },
    indexing: { heartbeatMs: 4 * silenceMs, advanceMs: 10 * silenceMs },
  };
}
