import { setTimeout as delay } from 'node:timers/promises';

/** Reads something again and again while something else goes on. @returns what both have come to */
export async function whileSampling<Sample, Result>(
  intervalMs: number,
  read: () => Promise<Sample>,
  work: () => Promise<Result>,
): Promise<{ samples: readonly Sample[]; result: Result }> {
  const samples: Sample[] = [];
  const over = new AbortController();
  const sampling = (async () => {
    while (!over.signal.aborted) {
      samples.push(await read());
      await delay(intervalMs);
    }
  })();
  // Whoever waits for the work hears of it: a failure must not count as unhandled until then.
  sampling.catch(() => undefined);
  try {
    return { samples, result: await work() };
  } finally {
    over.abort();
    await sampling;
  }
}

/** `200 (5 times), 503 (2 times)` and so on. */
export function describeStatuses(statuses: Readonly<Record<string, number>>): string {
  return Object.entries(statuses)
    .map(([status, count]) => `${status} (${count} times)`)
    .join(', ');
}
