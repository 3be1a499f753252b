import { describe, expect, it } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { readAhead, type ReadAheadOptions } from './read-ahead.js';

/** Counts to `to`; later pieces are done sooner. */
function counting(to: number, options: Partial<ReadAheadOptions<number>> = {}) {
  const stats = { started: 0, running: 0, mostRunning: 0, aborted: 0 };
  const items = readAhead<number>({
    next: (signal) => {
      if (stats.started >= to) return undefined;
      const item = stats.started++;
      return work(item, signal);
    },
    sizeOf: () => 10,
    concurrency: () => 4,
    maxItems: 8,
    maxBytes: 1_000,
    ...options,
  });
  const work = async (item: number, signal: AbortSignal): Promise<number> => {
    stats.running += 1;
    stats.mostRunning = Math.max(stats.mostRunning, stats.running);
    signal.addEventListener('abort', () => (stats.aborted += 1), { once: true });
    await delay((to - item) % 4);
    stats.running -= 1;
    return item;
  };
  return { items, stats };
}

/** Until nothing runs: only the end of a piece, or the consumer, begins another. */
async function atRest(stats: { running: number }): Promise<void> {
  do await delay(1);
  while (stats.running > 0);
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

describe(readAhead.name, () => {
  it('yields in order what was done at the same time', async () => {
    const { items, stats } = counting(50);
    expect(await collect(items)).toEqual(Array.from({ length: 50 }, (_, i) => i));
    expect(stats.mostRunning).toBe(4);
  });

  it('works ahead of a busy consumer, but no further than it may', async () => {
    const { items, stats } = counting(50);
    await items.next();
    await atRest(stats);
    expect(stats.started).toBe(9);
    const large = counting(50, { maxBytes: 25 });
    await large.items.next();
    await atRest(large.stats);
    // Three results are more than 25 bytes; up to three pieces were running when the last of them came in.
    expect(large.stats.started).toBeLessThanOrEqual(8);
    await items.return();
    await large.items.return();
  });

  it('asks again how much may run', async () => {
    let width = 4;
    const { items, stats } = counting(40, { concurrency: () => width });
    await items.next();
    await atRest(stats);
    width = 1;
    stats.mostRunning = 0;
    await collect(items);
    expect(stats.mostRunning).toBeLessThanOrEqual(1);
  });

  it('fails where the work failed, after what came before, and starts no more', async () => {
    let started = 0;
    const items = readAhead<number>({
      next: async () => {
        started += 1;
        if (started === 3) throw new Error('broken');
        return started;
      },
      sizeOf: () => 1,
      concurrency: () => 1,
      maxItems: 8,
      maxBytes: 100,
    });
    const seen: number[] = [];
    await expect(
      (async () => {
        for await (const item of items) seen.push(item);
      })(),
    ).rejects.toThrow('broken');
    expect(seen).toEqual([1, 2]);
    expect(started).toBe(3);
  });

  it('aborts what still runs when nobody wants it any more', async () => {
    const { items, stats } = counting(50);
    for await (const item of items) if (item === 2) break;
    expect(stats.aborted).toBeGreaterThan(0);
  });

  it('ends with the reason of its signal', async () => {
    const controller = new AbortController();
    const items = readAhead<number>({
      next: (signal) => delay(10_000, 1, { signal }),
      sizeOf: () => 1,
      concurrency: () => 2,
      maxItems: 4,
      maxBytes: 10,
      signal: controller.signal,
    });
    const next = items.next();
    controller.abort(new Error('enough'));
    await expect(next).rejects.toThrow();
    await expect(collect(readAhead({ ...OPTIONS, signal: controller.signal }))).rejects.toThrow('enough');
  });
});

const OPTIONS: ReadAheadOptions<number> = {
  next: () => undefined,
  sizeOf: () => 1,
  concurrency: () => 1,
  maxItems: 1,
  maxBytes: 1,
};
