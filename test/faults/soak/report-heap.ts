import type { Environment } from '../../bench/child.js';

/** How often a process reports its memory. */
const INTERVAL_MS = 30_000;

/** Runs inside each process of the service, before anything else: collects its garbage and reports what is left. */
const REPORTER = `
const report = () => {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  process.send?.({ soak: { heapBytes: heapUsed, externalBytes: external, handles: process.getActiveResourcesInfo().length } });
};
setInterval(report, ${INTERVAL_MS}).unref();
`;

export const SOAK_ENVIRONMENT: Environment = {
  NODE_OPTIONS: `--expose-gc --import data:text/javascript,${encodeURIComponent(REPORTER)}`,
};
