import { afterAll, expect } from '@jest/globals';
import { relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Waits that are worth a line when a spec file is over. */
const LONG_WAIT_MS = 5_000;
const INTERVAL_MS = 25;

/** Milliseconds that this spec file has waited for each condition, all times together. */
const waits = new Map<string, number>();

// Registered with the spec file that imports this one.
afterAll(() => {
  const long = [...waits].filter(([, ms]) => ms >= LONG_WAIT_MS).sort(([, a], [, b]) => b - a);
  if (long.length === 0) return;
  const file = relative(process.cwd(), expect.getState().testPath ?? '');
  const list = long.map(([what, ms]) => `${(ms / 1000).toFixed(0)} s for "${what}"`).join(', ');
  process.stderr.write(`${file} waited ${list}\n`);
});

/** Longer than anything takes on a machine that has other work, too: only what never comes is waited for so long. */
export const PATIENCE_MS = 300_000;

/**
 * Polls until the condition holds; for state in other processes that offers nothing to wait on. A limit of its own is for what is promised
 * within a time.
 */
export async function eventually(
  what: string,
  condition: () => Promise<boolean> | boolean,
  timeoutMs = PATIENCE_MS,
): Promise<void> {
  const startedAt = Date.now();
  try {
    while (!(await condition())) {
      if (Date.now() > startedAt + timeoutMs) throw new Error(`not within ${timeoutMs} ms: ${what}`);
      await delay(INTERVAL_MS);
    }
  } finally {
    waits.set(what, (waits.get(what) ?? 0) + Date.now() - startedAt);
  }
}
