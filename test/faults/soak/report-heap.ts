import type { Environment } from '../../bench/child.js';

/**
 * Runs inside each process of the service, and in each of its threads, before anything else: collects the garbage and reports what is left
 * in each of them.
 */
const reporter = (intervalMs: number): string => `
import { getHeapSpaceStatistics } from 'node:v8';
import { BroadcastChannel, isMainThread, threadId } from 'node:worker_threads';

const heaps = new Map();
const channel = new BroadcastChannel('heaps');
channel.onmessage = ({ data }) => heaps.set(data.threadId, data);
channel.unref();

const sum = (spaces, key) => spaces.reduce((total, space) => total + space[key], 0);
const report = () => {
  globalThis.gc?.();
  const spaces = getHeapSpaceStatistics();
  const young = spaces.filter((space) => space.space_name.startsWith('new_'));
  const own = {
    threadId,
    usedBytes: sum(spaces, 'space_used_size'),
    heldBytes: sum(spaces, 'physical_space_size'),
    youngBytes: sum(young, 'physical_space_size'),
  };
  if (!isMainThread) return channel.postMessage(own);
  heaps.set(threadId, own);
  const handles = process.getActiveResourcesInfo().length;
  const residentBytes = process.memoryUsage.rss();
  process.send?.({ soak: { heaps: [...heaps.values()], residentBytes, handles } });
};
setInterval(report, ${intervalMs}).unref();
`;

/** With so long between two reports of a process. */
export function soakEnvironment(intervalMs: number): Environment {
  const module = encodeURIComponent(reporter(intervalMs));
  return { NODE_OPTIONS: `--expose-gc --import data:text/javascript,${module}` };
}
