import { describe, expect, it } from '@jest/globals';
import { IdError } from './id.error.js';
import { EMPTY_ID, PRIMARY_NETWORK_ID } from './id.js';
import { idToCb58, idToHex, shortIdToHex } from './text.js';

describe('ids as text', () => {
  it('are read from 64 digits of hex, from cb58 and from 40 digits of hex', () => {
    expect(idToHex(EMPTY_ID)).toBe('00'.repeat(32));
    expect(idToCb58(EMPTY_ID)).toBe(PRIMARY_NETWORK_ID);
    expect(shortIdToHex(new Uint8Array(20).fill(0xab))).toBe('ab'.repeat(20));
  });

  it.each([idToHex, idToCb58, shortIdToHex])('are not made of anything of another length by %p', (toText) => {
    for (const length of [0, 19, 21, 31, 33]) expect(() => toText(new Uint8Array(length))).toThrow(IdError);
  });
});
