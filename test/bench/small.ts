import { setTimeout as delay } from 'node:timers/promises';
import type { Environment } from './child.js';

/** Of the tests' runs: they show that a benchmark works and measure nothing, on a machine that may stand still for some seconds. */
const isSmall = process.env['BENCH_SMALL'] !== undefined;

const PATIENCE_MS = 60_000;
const AGAIN_AFTER_MS = 250;

/** Of the service. A full run measures it as it is shipped. */
export const SMALL_ENVIRONMENT: Environment = isSmall ? { NODE_TIMEOUT_MS: '20000' } : {};

/** In a small run asks again at "try again shortly", which the service answers when something has been away for five seconds. */
export async function untilServed<A extends { status: number }>(ask: () => Promise<A>): Promise<A> {
  const until = performance.now() + (isSmall ? PATIENCE_MS : 0);
  for (;;) {
    const answer = await ask();
    if (answer.status !== 503 || performance.now() >= until) return answer;
    await delay(AGAIN_AFTER_MS);
  }
}
