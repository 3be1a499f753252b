import { setMaxListeners } from 'node:events';

export interface ReadAheadOptions<T> {
  /** The next piece of work in order; undefined when there is none left. Called only when it is started at once. */
  next: (signal: AbortSignal) => Promise<T> | undefined;
  sizeOf: (item: T) => number;
  /** Pieces that may run at the same time; asked again before each start. */
  concurrency: () => number;
  /** Results that wait for their consumer, together with those that run. */
  maxItems: number;
  /** Nothing is started while the waiting results are larger than this. */
  maxBytes: number;
  signal?: AbortSignal;
}

/**
 * Runs work concurrently and yields the results in order, ahead of the consumer within bounds: while the consumer is
 * busy, e.g. waiting for the database, the network works on. What still runs when the consumer stops is aborted.
 */
export async function* readAhead<T>(options: ReadAheadOptions<T>): AsyncGenerator<T, void> {
  const { next, sizeOf, concurrency, maxItems, maxBytes } = options;
  const abortion = new AbortController();
  setMaxListeners(0, abortion.signal); // one per request, and there are many
  const onAbort = (): void => abortion.abort(options.signal?.reason);
  options.signal?.throwIfAborted();
  options.signal?.addEventListener('abort', onAbort, { once: true });

  const queue: Promise<T>[] = [];
  let running = 0;
  let waitingBytes = 0;
  let isExhausted = false;

  const start = (): void => {
    while (!isExhausted && running < concurrency() && queue.length < maxItems && waitingBytes <= maxBytes) {
      const work = next(abortion.signal);
      if (work === undefined) {
        isExhausted = true;
        return;
      }
      running += 1;
      const result = work.then(
        (item) => {
          running -= 1;
          waitingBytes += sizeOf(item);
          start();
          return item;
        },
        (error: unknown) => {
          running -= 1;
          isExhausted = true; // what follows a failure is of no use
          throw error;
        },
      );
      result.catch(() => undefined); // the consumer may never come to it
      queue.push(result);
    }
  };

  try {
    for (start(); ; start()) {
      const result = queue.shift();
      if (result === undefined) return;
      const item = await result;
      waitingBytes -= sizeOf(item);
      yield item;
    }
  } finally {
    isExhausted = true;
    options.signal?.removeEventListener('abort', onAbort);
    abortion.abort(new Error('no longer needed'));
  }
}
