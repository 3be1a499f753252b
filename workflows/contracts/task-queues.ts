/**
 * `signatures` is bound by latency: p2p connections live in its workers, nothing heavy may share the queue.
 * `indexing` is bound by nodes and database: one long activity per chain, and the schedules that look after it.
 */
export const TASK_QUEUES = ['signatures', 'indexing'] as const;

export type TaskQueue = (typeof TASK_QUEUES)[number];
