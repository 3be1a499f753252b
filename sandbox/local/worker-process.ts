import { join } from 'node:path';
import type { TaskQueue } from '../../workflows/contracts/task-queues.js';
import { startNodeProgram } from './processes/node-program.js';
import type { Server } from './processes/supervisor.js';

const READY_TIMEOUT_MS = 120_000;
/**
 * As all workers have them. Rows on their way to a file shall die young: in the megabyte that Node begins with, many do not. And a heap as
 * small as a worker's is marked again and again, for it has less room to grow than those rows take; until it has so many megabytes, it is not.
 */
export const WORKER_NODE_OPTIONS = ['--min-semi-space-size=16', '--initial-old-space-size=128'];

/** Starts a worker of these queues in a process of its own, configured by this process's environment. */
export async function startWorkerProcess(options: {
  dataFolder: string;
  queues: readonly TaskQueue[];
}): Promise<Server> {
  const { child } = await startNodeProgram({
    name: 'the worker',
    entry: 'dist/bundled/src/worker.js',
    nodeOptions: WORKER_NODE_OPTIONS,
    env: { ...process.env, WORKER_QUEUES: options.queues.join(','), ...metricsBeside() },
    logFile: join(options.dataFolder, 'log', 'worker.log'),
    readyTimeoutMs: READY_TIMEOUT_MS,
    readReady: (message) => (message === 'ready' ? true : undefined),
  });
  return child;
}

/** On the port behind that of this process's own metrics, if it has any. */
function metricsBeside(): { METRICS_ADDRESS: string | undefined } {
  const { METRICS_ADDRESS: own } = process.env;
  return { METRICS_ADDRESS: own?.replace(/[1-9]\d*$/, (port) => String(Number(port) + 1)) };
}
