import { describe, expect, it, jest } from '@jest/globals';
import { BoundedMemo } from './bounded-memo.js';

describe(BoundedMemo.name, () => {
  const make = jest.fn((key: string) => key.toUpperCase());
  const memoOf = (capacity: number) => {
    make.mockClear();
    const memo = new BoundedMemo<string>(capacity);
    return (keys: string) => [...keys].map((key) => memo.get(key, () => make(key))).join('');
  };
  const made = () => make.mock.calls.flat().join('');

  it('makes each value once while there is room', () => {
    const get = memoOf(4);
    expect(get('abab')).toBe('ABAB');
    expect(made()).toBe('ab');
  });

  it('keeps what is used, and forgets what is not', () => {
    const get = memoOf(4);
    get('abcadaef');
    expect(made()).toBe('abcdef');
    get('a');
    expect(made()).toBe('abcdef');
    get('b');
    expect(made()).toBe('abcdefb');
  });

  it('knows the last half of the capacity, whatever came before', () => {
    for (let before = 0; before < 10; before++) {
      const get = memoOf(6);
      get('0123456789'.slice(0, before));
      get('abc');
      make.mockClear();
      get('abc');
      expect(made()).toBe('');
    }
  });

  it('remembers nothing of a value that could not be made', () => {
    const memo = new BoundedMemo<object>(2);
    expect(() => memo.get('a', () => JSON.parse('{') as object)).toThrow(SyntaxError);
    expect(memo.get('a', () => ({ made: true }))).toEqual({ made: true });
  });
});
