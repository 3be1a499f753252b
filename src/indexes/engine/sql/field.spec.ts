import { describe, expect, it } from '@jest/globals';
import { amount, constant, flag, id, ids, int, optional, record, type RowOf, safeInteger } from './field.js';

const STAKE = record({
  kind: constant('stake'),
  txId: id('tx_id'),
  owner: record({ threshold: int('owner_threshold'), addresses: ids('owner_addresses') }),
  end: optional(record({ time: safeInteger('end_time'), isEarly: flag('is_early') })),
  reward: optional(amount('reward')),
});

const value = {
  kind: 'stake',
  txId: 'aa',
  owner: { threshold: 1, addresses: ['bb', 'cc'] },
  end: { time: 9, isEarly: false },
  reward: 0n,
} as const;

/** As the driver gives it. */
const row: RowOf<typeof STAKE> = {
  tx_id: Buffer.from([0xaa]),
  owner_threshold: 1,
  owner_addresses: [Buffer.from([0xbb]), Buffer.from([0xcc])],
  end_time: '9',
  is_early: false,
  reward: '0',
};

const written = (given: ReturnType<typeof STAKE.read>) =>
  Object.fromEntries(STAKE.columns.map((column) => [column.name, column.value(given)]));

describe(record.name, () => {
  it('puts each property of a record, however deep, into a column', () => {
    expect(written(value)).toEqual({
      tx_id: 'aa',
      owner_threshold: 1,
      owner_addresses: ['bb', 'cc'],
      end_time: 9,
      is_early: false,
      reward: 0n,
    });
  });

  it('reads from a row the record that it was written from', () => {
    expect(STAKE.read(row)).toEqual(value);
  });

  it('leaves all columns of an optional part empty, and reads null where the first of them is empty', () => {
    expect(written({ ...value, end: null, reward: null })).toMatchObject({
      end_time: null,
      is_early: null,
      reward: null,
    });
    expect(STAKE.read({ ...row, end_time: null, is_early: null, reward: null })).toEqual({
      ...value,
      end: null,
      reward: null,
    });
  });

  it('refuses a row whose column is empty and must not be, by its name', () => {
    expect(() => STAKE.read({ ...row, is_early: null })).toThrow(new RangeError('is_early is empty'));
    expect(() => optional(constant('nothing'))).toThrow(RangeError);
  });
});
