import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { LruCache, RefreshedValue, SharedReading } from './caches.js';

describe(RefreshedValue.name, () => {
  const limits = { refreshMs: 1_000, maxStaleMs: 30_000, idleMs: 60_000 };
  let calls: number;
  let isAway: boolean;

  const make = (): RefreshedValue<number> =>
    new RefreshedValue(async () => {
      calls += 1;
      if (isAway) throw new Error('away');
      return calls;
    }, limits);

  beforeEach(() => {
    jest.useFakeTimers();
    calls = 0;
    isAway = false;
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  it('shares one call among concurrent readers', async () => {
    const value = make();
    expect(await Promise.all([value.get(), value.get(), value.get()])).toEqual([1, 1, 1]);
    expect(await value.get()).toBe(1);
  });

  it('fetches again while the value is wanted, without making readers wait for it', async () => {
    const value = make();
    await value.get();
    await jest.advanceTimersByTimeAsync(5_000);
    expect(calls).toBe(6);
    expect(await value.get()).toBe(6);
    expect(calls).toBe(6);
  });

  it('stops fetching when nobody has asked for a while, and fetches for the next reader', async () => {
    const value = make();
    await value.get();
    await jest.advanceTimersByTimeAsync(200_000);
    expect(calls).toBe(61);
    expect(await value.get()).toBe(62);
  });

  it('does not make its readers wait while a fetch takes long', async () => {
    let calledTwice = false;
    const value = new RefreshedValue(async () => {
      if (calledTwice) return new Promise<string>(() => undefined);
      calledTwice = true;
      return 'first';
    }, limits);
    await value.get();
    await jest.advanceTimersByTimeAsync(20_000);
    expect(await value.get()).toBe('first');
  });

  it('keeps the value through failures for its time, then fails as they do, and recovers', async () => {
    const value = make();
    await value.get();
    isAway = true;
    await jest.advanceTimersByTimeAsync(29_000);
    expect(await value.get()).toBe(1);
    await jest.advanceTimersByTimeAsync(2_000);
    await expect(value.get()).rejects.toThrow('away');
    isAway = false;
    await jest.advanceTimersByTimeAsync(1_000);
    expect(await value.get()).toBe(calls);
  });

  it('fetches no more often after an outage in which many have asked', async () => {
    const value = make();
    await value.get();
    isAway = true;
    await jest.advanceTimersByTimeAsync(31_000);
    for (let asked = 0; asked < 50; asked += 1) {
      await expect(value.get()).rejects.toThrow('away');
      await jest.advanceTimersByTimeAsync(17);
    }
    isAway = false;
    await jest.advanceTimersByTimeAsync(1_000);
    calls = 0;
    await jest.advanceTimersByTimeAsync(5_000);
    expect(calls).toBe(5);
  });

  it('does not remember a first failure', async () => {
    const value = make();
    isAway = true;
    await expect(value.get()).rejects.toThrow('away');
    isAway = false;
    expect(await value.get()).toBe(2);
  });
});

describe(SharedReading.name, () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  it('shares a reading that is under way, or was begun lately', async () => {
    let readings = 0;
    const reading = new SharedReading(1_000, async () => (readings += 1));
    expect(await Promise.all([reading.get(), reading.get()])).toEqual([1, 1]);
    await jest.advanceTimersByTimeAsync(999);
    expect(await reading.get()).toBe(1);
    await jest.advanceTimersByTimeAsync(1);
    expect(await Promise.all([reading.get(), reading.get()])).toEqual([2, 2]);
  });

  it('shares a reading that was wanted anew', async () => {
    let readings = 0;
    const reading = new SharedReading(1_000, async () => (readings += 1));
    expect(await Promise.all([reading.get(), reading.readNow(), reading.get()])).toEqual([1, 2, 2]);
    await jest.advanceTimersByTimeAsync(999);
    expect(await reading.get()).toBe(2);
  });

  it('does not wait for ever for one that does not end', async () => {
    let readings = 0;
    const reading = new SharedReading(1_000, async () => {
      readings += 1;
      return readings === 1 ? new Promise<number>(() => undefined) : readings;
    });
    void reading.get();
    await jest.advanceTimersByTimeAsync(1_000);
    expect(await reading.get()).toBe(2);
  });

  it('does not remember a failure, nor forgets for it what was read since', async () => {
    const outcomes: ((outcome: Promise<number>) => void)[] = [];
    const reading = new SharedReading(1_000, () => new Promise<number>((resolve) => outcomes.push(resolve)));
    const first = reading.get();
    await jest.advanceTimersByTimeAsync(1_000);
    const second = reading.get();
    outcomes[0]?.(Promise.reject(new Error('away')));
    await expect(first).rejects.toThrow('away');
    outcomes[1]?.(Promise.reject(new Error('still away')));
    expect(reading.get()).toBe(second);
    await expect(second).rejects.toThrow('still away');
    const third = reading.get();
    outcomes[2]?.(Promise.resolve(3));
    expect(await third).toBe(3);
  });
});

describe(LruCache.name, () => {
  it('asks once per key, also for concurrent readers', async () => {
    const cache = new LruCache<string>(2);
    const asked: string[] = [];
    const get = (key: string) => cache.get(key, async () => (asked.push(key), key.toUpperCase()));
    expect(await Promise.all([get('a'), get('a'), get('b')])).toEqual(['A', 'A', 'B']);
    expect(asked).toEqual(['a', 'b']);
  });

  it('forgets the key that was used least recently', async () => {
    const cache = new LruCache<string>(2);
    const asked: string[] = [];
    const get = (key: string) => cache.get(key, async () => (asked.push(key), key));
    for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) await get(key);
    expect(asked).toEqual(['a', 'b', 'c', 'b']);
  });

  it('does not remember a failure', async () => {
    const cache = new LruCache<number>(2);
    await expect(cache.get('a', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
    expect(await cache.get('a', async () => 1)).toBe(1);
  });
});
