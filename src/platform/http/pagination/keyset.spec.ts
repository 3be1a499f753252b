import { describe, expect, it } from '@jest/globals';
import { FOLLOWS, follows, keysetParameters } from './keyset.js';

const keys = { 'l.block_time': 'bigint', 'l.utxo_id': 'bytea' } as const;

describe(follows.name, () => {
  it.each([
    ['asc', '>'],
    ['desc', '<'],
  ] as const)('compares all keys at once, in %s order by %s', (order, sign) => {
    expect(follows(keys, FOLLOWS[order])).toBe(
      `(l.block_time, l.utxo_id) ${sign} ((SELECT :after0::bigint), (SELECT :after1::bytea))`,
    );
  });
});

describe(keysetParameters.name, () => {
  it('gives none for the first page', () => {
    expect(keysetParameters(keys, undefined)).toEqual({});
  });

  it('gives the place as the driver takes it', () => {
    expect(keysetParameters(keys, ['7', 'ab'])).toEqual({ after0: '7', after1: Buffer.from('ab', 'hex') });
  });

  it('refuses a place that lacks a key', () => {
    expect(() => keysetParameters(keys, [null, 'ab'])).toThrow('a place in a list lacks key 0');
  });
});
