/** `signatures` is bound by latency: p2p connections live in its workers, nothing heavy may share the queue. */
export const TASK_QUEUES = ['signatures'] as const;

export type TaskQueue = (typeof TASK_QUEUES)[number];
