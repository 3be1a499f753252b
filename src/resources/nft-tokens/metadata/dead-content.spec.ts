import { describe, expect, it } from '@jest/globals';
import { DeadContent } from './dead-content.js';

describe(DeadContent.name, () => {
  it('remembers an id for five minutes', () => {
    let now = 0;
    const dead = new DeadContent(() => now);
    dead.add('a');
    now = 299_999;
    expect([dead.has('a'), dead.has('b')]).toEqual([true, false]);
    now = 300_000;
    expect(dead.has('a')).toBe(false);
  });

  it('forgets the oldest when there are too many', () => {
    const dead = new DeadContent(() => 0);
    for (let id = 0; id <= 10_000; id += 1) dead.add(String(id));
    expect([dead.has('0'), dead.has('1'), dead.has('10000')]).toEqual([false, true, true]);
  });
});
