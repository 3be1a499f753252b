import { setTimeout as delay } from 'node:timers/promises';

/** Asks again until the answer is not undefined; fails when the time is over, naming what was waited for. */
export async function poll<T>(options: {
  /** A function where it is known better at the end. */
  what: string | (() => string);
  timeoutMs: number;
  intervalMs: number;
  ask: () => Promise<T | undefined> | T | undefined;
}): Promise<T> {
  const deadline = performance.now() + options.timeoutMs;
  for (;;) {
    const answer = await options.ask();
    if (answer !== undefined) return answer;
    if (performance.now() > deadline) {
      const what = typeof options.what === 'string' ? options.what : options.what();
      throw new Error(`${what}: nothing after ${options.timeoutMs} ms`);
    }
    await delay(options.intervalMs);
  }
}
