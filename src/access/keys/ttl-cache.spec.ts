import { describe, expect, it } from '@jest/globals';
import { TtlCache } from './ttl-cache.js';

function memory(ask: (name: string) => Promise<number>, max = 10) {
  const clock = { nowMs: 0 };
  return { clock, memory: new TtlCache({ lifeMs: 100, max }, ask, () => clock.nowMs) };
}

describe(TtlCache.name, () => {
  it('asks once until the time is over', async () => {
    let asked = 0;
    const { clock, memory: answers } = memory(() => Promise.resolve((asked += 1)));
    expect(await Promise.all([answers.get('a'), answers.get('a')])).toEqual([1, 1]);
    clock.nowMs = 99;
    expect(await answers.get('a')).toBe(1);
    clock.nowMs = 100;
    expect(await answers.get('a')).toBe(2);
  });

  it('asks again after a failure', async () => {
    let asked = 0;
    const { memory: answers } = memory(() =>
      (asked += 1) === 1 ? Promise.reject(new Error('away')) : Promise.resolve(asked),
    );
    await expect(answers.get('a')).rejects.toThrow('away');
    expect(await answers.get('a')).toBe(2);
  });

  it('never holds more than it may', async () => {
    const asked: string[] = [];
    const { memory: answers } = memory((name) => Promise.resolve(asked.push(name)), 2);
    for (const name of ['a', 'b', 'c', 'c', 'a']) await answers.get(name);
    expect(asked).toEqual(['a', 'b', 'c', 'a']);
  });
});
