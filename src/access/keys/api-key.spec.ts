import { describe, expect, it } from '@jest/globals';
import { hashOfKey, isApiKey, makeApiKey, shownPartOf } from './api-key.js';

describe('an API key', () => {
  it('is made anew each time, and recognised as a key', () => {
    const [one, other] = [makeApiKey(), makeApiKey()];
    expect(one).not.toBe(other);
    expect([one, other].every(isApiKey)).toBe(true);
    expect(hashOfKey(one).equals(hashOfKey(other))).toBe(false);
  });

  it.each([
    ['a changed letter', (key: string) => `${key.slice(0, 8)}${key[8] === 'a' ? 'b' : 'a'}${key.slice(9)}`],
    ['a missing letter', (key: string) => key.slice(0, -1)],
    ['something behind it', (key: string) => `${key}x`],
    ['two keys', (key: string) => `${key}, ${key}`],
    ['nothing', () => ''],
  ])('is not recognised with %s', (_, change) => {
    expect(isApiKey(change(makeApiKey()))).toBe(false);
  });

  it('shows no more of itself in a text than where it begins', () => {
    const key = makeApiKey();
    expect(shownPartOf(key)).toMatch(/^nds_.{6}$/);
    expect(key.startsWith(shownPartOf(key))).toBe(true);
  });
});
