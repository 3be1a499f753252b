import { setTimeout as delay } from 'node:timers/promises';

/** Asks again until the answer is not undefined; fails when the time is over, naming what was waited for. */
export async function poll<T>(options: {
  what: string;
  timeoutMs: number;
  intervalMs: number;
  ask: () => Promise<T | undefined> | T | undefined;
}): Promise<T> {
  const deadline = performance.now() + options.timeoutMs;
  for (;;) {
    const answer = await options.ask();
    if (answer !== undefined) return answer;
    if (performance.now() > deadline) {
      throw new Error(`${options.what}: nothing after ${options.timeoutMs} ms`);
    }
    await delay(options.intervalMs);
  }
}
