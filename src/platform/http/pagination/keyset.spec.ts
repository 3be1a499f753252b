import { describe, expect, it } from '@jest/globals';
import { SqlParameters } from '../../database/sql-parameters.js';
import { FOLLOWS, keysetCondition } from './keyset.js';

const keys = { 'l.block_time': 'bigint', 'l.utxo_id': 'bytea' } as const;

describe(keysetCondition.name, () => {
  it('sets no condition for the first page', () => {
    const parameters = new SqlParameters();
    expect(keysetCondition(parameters, { keys, comparison: FOLLOWS.desc, after: undefined })).toEqual([]);
    expect(parameters.values).toEqual([]);
  });

  it.each([
    ['asc', '>'],
    ['desc', '<'],
  ] as const)('compares all keys at once, in %s order by %s', (order, sign) => {
    const parameters = new SqlParameters();
    const condition = keysetCondition(parameters, { keys, comparison: FOLLOWS[order], after: ['7', 'ab'] });
    expect(condition).toEqual([
      `(l.block_time, l.utxo_id) ${sign} ((SELECT $1::bigint), (SELECT $2::bytea))`,
    ]);
    expect(parameters.values).toEqual(['7', Buffer.from('ab', 'hex')]);
  });

  it('refuses a place that lacks a key', () => {
    const place = { keys, comparison: FOLLOWS.asc, after: [null, 'ab'] } as const;
    expect(() => keysetCondition(new SqlParameters(), place)).toThrow('a place in a list lacks key 0');
  });
});
