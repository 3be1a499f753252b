import { describe, expect, it } from '@jest/globals';
import { LruCache, TtlValue } from './caches.js';

describe(TtlValue.name, () => {
  it('shares one call among concurrent readers and keeps its answer for the time given', async () => {
    let calls = 0;
    const value = new TtlValue(60_000, async () => ++calls);
    expect(await Promise.all([value.get(), value.get(), value.get()])).toEqual([1, 1, 1]);
    expect(await value.get()).toBe(1);
  });

  it('asks again once the time is over', async () => {
    let calls = 0;
    const value = new TtlValue(0, async () => ++calls);
    expect([await value.get(), await value.get()]).toEqual([1, 2]);
  });

  it('does not keep a failure', async () => {
    let calls = 0;
    const value = new TtlValue(60_000, async () => {
      if (++calls === 1) throw new Error('away');
      return calls;
    });
    await expect(value.get()).rejects.toThrow('away');
    expect(await value.get()).toBe(2);
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

  it('does not keep a failure', async () => {
    const cache = new LruCache<number>(2);
    await expect(cache.get('a', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
    expect(await cache.get('a', async () => 1)).toBe(1);
  });
});
