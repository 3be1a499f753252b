/**
 * `signatures` is bound by latency: p2p connections live in its workers, nothing heavy may share the queue.
 * `indexing` is bound by nodes and database: one long activity per chain, and the schedules that check it.
 * `exports` is bound by database and storage: a few long activities at a time.
 * `nfts` is bound by untrusted hosts, which may keep many of its activities waiting.
 */
export const TASK_QUEUES = ['signatures', 'indexing', 'exports', 'nfts'] as const;

export type TaskQueue = (typeof TASK_QUEUES)[number];
