import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { randomBytes } from 'node:crypto';
import { packAddress } from '../../../avalanche/ids/address.js';
import { nodeIdToString } from '../../../avalanche/ids/node-id.js';
import { describeProblems } from '../pipes/zod.pipe.js';
import {
  AddressesSchema,
  BooleanSchema,
  decimalSchema,
  integerSchema,
  minimumSchema,
  NodeIdPartsSchema,
  NodeIdsSchema,
  pageSizeSchema,
  querySchema,
  scaleDecimal,
} from './query.schema.js';

const schema = querySchema({
  pageSize: pageSizeSchema({ max: 100, default: 10 }),
  amount: integerSchema({ min: 0n, max: 1000n }).optional(),
  percent: decimalSchema({ min: 2, max: 100 }).optional(),
  flag: BooleanSchema.optional(),
  nodeIds: NodeIdsSchema.optional(),
  parts: NodeIdPartsSchema.optional(),
  addresses: AddressesSchema.optional(),
});

const problem = (query: unknown) => {
  const parsed = schema.safeParse(query);
  return parsed.success ? undefined : describeProblems(parsed.error.issues);
};

describe(querySchema.name, () => {
  it('reads a number with an exponent, as clients print small ones, as plain decimals', () => {
    expect(Number(schema.parse({ percent: '2.5e1' }).percent)).toBe(25);
    expect(decimalSchema({ min: 0, max: 1 }).parse('1e-7')).toMatch(/^0\.0000001/);
  });

  it.each(['20', '20.0', '020', '20.000', '2e1'])('reads %s as the number that it is', (percent) => {
    expect(schema.parse({ percent }).percent).toBe('20');
  });

  it('keeps the digits of a decimal number', () => {
    expect(schema.parse({ percent: '02.0500' }).percent).toBe('2.05');
  });

  it.each([
    ['0', 0n],
    ['1.0', 1n],
    ['1.5', 2n],
    ['1e3', 1_000n],
    ['1.25E+1', 13n],
    ['18446744073709551615', 2n ** 64n - 1n],
  ])('reads %s as a minimum of %s', (text, minimum) => {
    expect(minimumSchema({ max: 2n ** 64n - 1n }).parse(text)).toBe(minimum);
  });

  it.each(['', '-1', '1e-3', '1e99', '0x1', '1_0', '18446744073709551616'])(
    'takes %j for no minimum',
    (text) => {
      expect(minimumSchema({ max: 2n ** 64n - 1n }).safeParse(text).success).toBe(false);
    },
  );

  it('fills in the defaults', () => expect(schema.parse({})).toEqual({ pageSize: 10 }));

  it.each<[string, unknown, string]>([
    ['an unknown parameter', { nodeIDs: 'x' }, 'unknown query parameter nodeIDs'],
    ['a repeated parameter', { pageSize: ['1', '2'] }, 'pageSize: must be given once'],
    ['zero', { pageSize: '0' }, 'pageSize: must be a whole number from 1 to 100'],
    ['too much', { pageSize: '101' }, 'pageSize: must be a whole number from 1 to 100'],
    ['nothing', { pageSize: '' }, 'pageSize: must be a whole number from 1 to 100'],
    ['a fraction', { pageSize: '1.5' }, 'pageSize: must be a whole number from 1 to 100'],
    ['an exponent', { amount: '1e2' }, 'amount: must be a whole number from 0 to 1000'],
    ['hex', { amount: '0x10' }, 'amount: must be a whole number from 0 to 1000'],
    ['a sign', { amount: '-1' }, 'amount: must be a whole number from 0 to 1000'],
    ['a space', { amount: ' 1' }, 'amount: must be a whole number from 0 to 1000'],
    ['other digits', { amount: '١' }, 'amount: must be a whole number from 0 to 1000'],
    ['far too many digits', { amount: '9'.repeat(1000) }, 'amount: must be a whole number from 0 to 1000'],
    ['less than the least', { percent: '1.99' }, 'percent: must be a number from 2 to 100'],
    ['more than the most', { percent: '100.01' }, 'percent: must be a number from 2 to 100'],
    ['a number too large by its exponent', { percent: '1e3' }, 'percent: must be a number from 2 to 100'],
    ['an unfinished exponent', { percent: '1e' }, 'percent: must be a number from 2 to 100'],
    ['a word', { percent: 'NaN' }, 'percent: must be a number from 2 to 100'],
    ['an unfinished number', { percent: '3.' }, 'percent: must be a number from 2 to 100'],
    ['a number for a flag', { flag: '1' }, 'flag: must be one of true, false'],
    [
      'no node id',
      { nodeIds: 'NodeID-1' },
      'nodeIds: must be node ids (NodeID-…), comma-separated; "NodeID-1" is none',
    ],
    ['an empty list', { nodeIds: '' }, 'nodeIds: must be node ids (NodeID-…), comma-separated; "" is none'],
    [
      'a wildcard',
      { parts: 'a%' },
      'parts: must be parts of node ids (letters, digits and -, at most 64 of them), comma-separated; "a%" is none',
    ],
    [
      'an empty part',
      { parts: 'a,,b' },
      'parts: must be parts of node ids (letters, digits and -, at most 64 of them), comma-separated; "" is none',
    ],
    [
      'too many parts',
      { parts: Array.from({ length: 65 }, (_, i) => `a${i}`).join() },
      'parts: must not have more than 64 different values',
    ],
    [
      'an EVM address',
      { addresses: `0x${'00'.repeat(20)}` },
      `addresses: must be bech32 addresses with or without P- or X- in front, comma-separated; "0x${'00'.repeat(20)}" is none`,
    ],
    [
      'an address of an unknown chain',
      { addresses: `Q-${packAddress({ hrp: 'fuji', bytes: new Uint8Array(20) })}` },
      'addresses: must be bech32 addresses with or without P- or X- in front, comma-separated; "Q-fuji1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq2nffjl" is none',
    ],
    [
      'several problems',
      { pageSize: '0', flag: '' },
      'pageSize: must be a whole number from 1 to 100; flag: must be one of true, false',
    ],
  ])('refuses %s', (_name, query, text) => expect(problem(query)).toBe(text));

  it('reads lists with duplicates once and in one order', () => {
    const ids = [randomBytes(20), randomBytes(20)];
    const hex = ids.map((id) => id.toString('hex')).sort();
    expect(
      schema.parse({ nodeIds: [...ids, ...ids].reverse().map(nodeIdToString).join(', ') }).nodeIds,
    ).toEqual(hex);
    const addresses = ids.map((bytes) => packAddress({ hrp: 'avax', bytes }));
    expect(
      schema.parse({ addresses: [`P-${addresses[0]}`, addresses[1], `X-${addresses[0]}`].join() }).addresses,
    ).toEqual(hex.map((bytes) => ({ hrp: 'avax', bytes })));
  });
});

describe(scaleDecimal.name, () => {
  it('scales exactly where floating point does not', () => {
    expect(scaleDecimal('20.1', 4, 'up')).toBe(201_000n);
    expect(scaleDecimal('2', 4, 'down')).toBe(20_000n);
    expect(scaleDecimal('2.00001', 4, 'up')).toBe(20_001n);
    expect(scaleDecimal('2.00009', 4, 'down')).toBe(20_000n);
    expect(scaleDecimal('2.00000', 4, 'up')).toBe(20_000n);
  });

  it('agrees with rounding of whole numbers', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat({ max: 9999 }), (whole, fraction) => {
        const text = `${whole}.${String(fraction).padStart(4, '0')}`;
        const floor = BigInt(whole) * 100n + BigInt(fraction) / 100n;
        expect(scaleDecimal(text, 2, 'down')).toBe(floor);
        expect(scaleDecimal(text, 2, 'up')).toBe(fraction % 100 === 0 ? floor : floor + 1n);
      }),
    );
  });
});
