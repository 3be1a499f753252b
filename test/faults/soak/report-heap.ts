import type { Environment } from '../../bench/child.js';
import { INTERVAL_MS } from './process-samples.js';

/**
 * Runs inside each process of the service, and in each of its threads, before anything else: collects the garbage and reports what is left
 * of all of them together.
 */
const REPORTER = `
import { getHeapStatistics } from 'node:v8';
import { BroadcastChannel, isMainThread, threadId } from 'node:worker_threads';

const heaps = new Map();
const channel = new BroadcastChannel('heaps');
channel.onmessage = ({ data }) => heaps.set(data.threadId, data);
channel.unref();

const sum = (key) => [...heaps.values()].reduce((total, heap) => total + heap[key], 0);
const report = () => {
  globalThis.gc?.();
  const { used_heap_size: used, total_physical_size: held } = getHeapStatistics();
  const own = { threadId, used, held };
  if (!isMainThread) return channel.postMessage(own);
  heaps.set(threadId, own);
  const handles = process.getActiveResourcesInfo().length;
  const residentBytes = process.memoryUsage.rss();
  process.send?.({ soak: { heapBytes: sum('used'), heldBytes: sum('held'), residentBytes, handles } });
};
setInterval(report, ${INTERVAL_MS}).unref();
`;

export const SOAK_ENVIRONMENT: Environment = {
  NODE_OPTIONS: `--expose-gc --import data:text/javascript,${encodeURIComponent(REPORTER)}`,
};
