import { describe, expect, it } from '@jest/globals';
import { BoundedMap } from './bounded-map.js';

describe(BoundedMap.name, () => {
  it('drops the entry that was set first', () => {
    const map = new BoundedMap<string, number>(2);
    map.set('a', 1).set('b', 2).set('a', 3).set('c', 4);
    expect([...map]).toEqual([
      ['a', 3],
      ['c', 4],
    ]);
  });

  it('keeps what is used', () => {
    const map = new BoundedMap<string, number>(2);
    for (const key of ['a', 'b', 'a', 'c']) map.use(key, () => map.size);
    expect([...map]).toEqual([
      ['a', 0],
      ['c', 2],
    ]);
  });

  it('remembers nothing of a value that could not be made', () => {
    const map = new BoundedMap<string, number>(2);
    const fail = () => map.use('a', () => JSON.parse('{') as number);
    expect(fail).toThrow(SyntaxError);
    expect(map.size).toBe(0);
  });
});
