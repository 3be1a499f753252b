import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { getAddress } from 'viem/utils';
import type { EvmChain } from '../../../platform/evm-chains/evm-chain.js';
import { describeProblems } from '../../../platform/http/pipes/zod.pipe.js';
import { ExportTransactionsRequestSchema } from '../dto/export-transactions.request.js';
import { dayOf } from '../../../exports/turns/days.js';
import { checkExport, completeExport } from './export-request.js';

const chain = (chainId: bigint): EvmChain => ({
  network: 'fuji',
  chainId,
  blockchainId: 'yH8D7ThNJkxmtkuv2jgBa4P1Rn3Qpr4pPr7QYNfcdoS6k6HWp',
  name: `chain ${chainId}`,
  rpcUrls: ['http://127.0.0.1:9'],
  startHeight: 'tip',
  nativeSymbol: 'AVAX',
  nativeDecimals: 18,
  traces: 'auto',
  index: 'full',
  watch: [],
  messengers: [],
});

const chains = [43114n, 43113n, 7n].map(chain);
const limits = { maxAddresses: 64, maxChains: 3, maxDays: 100 };
const today = '2026-06-15';
const surroundings = { limits, chains, today };

const DAY_SECONDS = 86_400;
const day = fc
  .integer({ min: 0, max: Date.parse(today) / 1000 / DAY_SECONDS })
  .map((n) => dayOf(n * DAY_SECONDS));
const hex = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((b) => Buffer.from(b).toString('hex'));
const address = hex(20).map((digits) => `0x${digits}` as const);
const someAddresses = fc.uniqueArray(address, { minLength: 1, maxLength: 64 });
const someChains = fc.subarray(['43114', '43113', '7'], { minLength: 1 });

const request = (changes: object) =>
  ExportTransactionsRequestSchema.parse({
    type: 'TRANSACTION_EXPORT_EVM',
    options: { addresses: [`0x${'11'.repeat(20)}`], includeChains: ['7'] },
    ...changes,
  });

const problemOf = (options: object): string | undefined => {
  const parsed = ExportTransactionsRequestSchema.safeParse({
    type: 'TRANSACTION_EXPORT_EVM',
    options: { addresses: [`0x${'11'.repeat(20)}`], includeChains: ['7'], ...options },
  });
  return parsed.success ? undefined : describeProblems(parsed.error.issues);
};

describe('the addresses of an export', () => {
  it('are accepted in lower case, in upper case and with their checksum', () => {
    fc.assert(
      fc.property(address, (lower) => {
        const upper = `0x${lower.slice(2).toUpperCase()}`;
        const { addresses } = request({
          options: { addresses: [lower, upper, getAddress(lower)], includeChains: ['7'] },
        }).options;
        expect(addresses).toEqual([lower]);
      }),
    );
  });

  it('are refused when the case of any one letter is changed', () => {
    fc.assert(
      fc.property(address, fc.nat({ max: 39 }), (lower, at) => {
        const letters = [...getAddress(lower).slice(2)];
        const letter = letters[at] ?? '';
        const other = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
        const changed = letters.with(at, other).join('');
        fc.pre(other !== letter && changed !== changed.toLowerCase() && changed !== changed.toUpperCase());
        expect(problemOf({ addresses: [`0x${changed}`] })).toMatch(/^options\.addresses\[0\]: .*EIP-55/);
      }),
    );
  });

  it('are refused in any other form', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.anything(),
          address.map((text) => text.slice(2)),
        ),
        (value) => {
          fc.pre(typeof value !== 'string' || !/^0x[0-9a-f]{40}$/i.test(value));
          expect(problemOf({ addresses: [value] })).toMatch(/^options\.addresses\[0\]: must be an address/);
        },
      ),
    );
  });
});

describe('the dates of an export', () => {
  it('may be any day of the calendar and nothing else', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1970, max: 2100 }),
        fc.integer({ min: 0, max: 14 }),
        fc.integer({ min: 0, max: 33 }),
        (year, month, dayOfMonth) => {
          const lengths = [31, year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28];
          lengths.push(31, 30, 31, 30, 31, 31, 30, 31, 30, 31);
          const exists = dayOfMonth >= 1 && dayOfMonth <= (lengths[month - 1] ?? 0);
          const pad = (n: number) => String(n).padStart(2, '0');
          const parsed = ExportTransactionsRequestSchema.shape.firstDate.safeParse(
            `${year}-${pad(month)}-${pad(dayOfMonth)}`,
          );
          expect(parsed.success).toBe(exists);
        },
      ),
    );
  });
});

describe('an export request', () => {
  it('has one form, and one digest, however it is written', () => {
    fc.assert(
      fc.property(someAddresses, someChains, day, (addresses, includeChains, firstDate) => {
        const first = { options: { addresses, includeChains }, firstDate };
        const second = {
          options: {
            addresses: [...addresses, ...addresses].reverse().map((text) => getAddress(text)),
            includeChains: [...includeChains, ...includeChains].reverse(),
          },
          startDate: firstDate,
        };
        const [a, b] = [first, second].map((body) =>
          checkExport(request(body), { ...surroundings, limits: { ...limits, maxDays: 100_000 } }),
        );
        expect(a).toEqual(b);
        if (a === undefined || b === undefined) throw new Error('no request');
        expect(a.digest).toBe(b.digest);
        const complete = completeExport(a, {
          limits: { ...limits, maxDays: 100_000 },
          today,
          firstIndexedDate: undefined,
        });
        expect(complete.addresses).toEqual([...addresses].sort());
        expect(complete.chainIds).toEqual([...includeChains].sort((x, y) => Number(x) - Number(y)));
      }),
    );
  });

  it('has another digest when it asks for something else', () => {
    const base = { options: { addresses: [`0x${'11'.repeat(20)}`], includeChains: ['7'] } };
    const others = [
      base,
      { ...base, firstDate: '2026-06-14' },
      { ...base, lastDate: '2026-06-14' },
      { options: { ...base.options, addresses: [`0x${'12'.repeat(20)}`] } },
      { options: { ...base.options, includeChains: ['43113'] } },
      { options: { ...base.options, format: 'koinly' } },
      { options: { ...base.options, timeZone: 'Asia/Kolkata' } },
    ];
    const digests = others.map((body) => checkExport(request(body), surroundings).digest);
    expect(new Set(digests).size).toBe(others.length);
  });

  it('has the same digest on the next day, so that it can be repeated', () => {
    const [a, b] = [today, '2026-06-16'].map(
      (on) => checkExport(request({}), { ...surroundings, today: on }).digest,
    );
    expect(a).toBe(b);
  });

  it('is refused when it spans more days than allowed, both ends included', () => {
    fc.assert(
      fc.property(day, day, (firstDate, lastDate) => {
        const days = (Date.parse(lastDate) - Date.parse(firstDate)) / 1000 / DAY_SECONDS + 1;
        const check = () => checkExport(request({ firstDate, lastDate }), surroundings);
        if (days < 1) {
          expect(check).toThrow(`firstDate: must not be after lastDate (${firstDate}, ${lastDate})`);
        } else if (days > 100) {
          expect(check).toThrow('firstDate: must be at most 100 days from lastDate');
        } else {
          expect(check()).toMatchObject({ firstDate, lastDate });
        }
      }),
    );
  });

  it('is refused when it names more chains than allowed, or unknown ones', () => {
    const options = { addresses: [`0x${'11'.repeat(20)}`], includeChains: ['1', '2', '3', '4'] };
    expect(() => checkExport(request({ options }), surroundings)).toThrow(
      'options.includeChains: must not have more than 3 different values; options.includeChains: 1 is not an EVM chain of this ' +
        'service; configured are 43114 (chain 43114), 43113 (chain 43113), 7 (chain 7)',
    );
    expect(() => checkExport(request({}), { ...surroundings, chains: [] })).toThrow(
      'options.includeChains: 7 is not an EVM chain of this service; no EVM chain is configured',
    );
  });

  it('is refused when it names a chain id that two networks have', () => {
    const twins = [...chains, { ...chain(7n), network: 'mainnet' } as const];
    expect(() => checkExport(request({}), { ...surroundings, chains: twins })).toThrow(
      'options.includeChains: 7 is an EVM chain of fuji and of mainnet; only one may be configured',
    );
    const options = { addresses: [`0x${'11'.repeat(20)}`], includeChains: ['43113'] };
    expect(checkExport(request({ options }), { ...surroundings, chains: twins }).chains).toHaveLength(1);
  });
});

describe(completeExport.name, () => {
  const complete = (dates: object, firstIndexedDate?: string) => {
    const { firstDate, lastDate } = completeExport(checkExport(request(dates), surroundings), {
      limits,
      today,
      firstIndexedDate,
    });
    return [firstDate, lastDate];
  };

  it.each<[string, object, string | undefined, string[]]>([
    ['no dates, nothing indexed', {}, undefined, [today, today]],
    ['no dates', {}, '2026-05-01', ['2026-05-01', today]],
    ['the last', { lastDate: '2026-05-05' }, '2026-05-01', ['2026-05-01', '2026-05-05']],
    ['a last before the index', { lastDate: '2020-01-01' }, '2026-05-01', ['2020-01-01', '2020-01-01']],
    ['the first', { firstDate: '2026-06-01' }, '2026-05-01', ['2026-06-01', today]],
    ['a last in the future', { lastDate: '2099-12-31' }, '2026-05-01', ['2026-05-01', '2099-12-31']],
  ])('fills in what %s leaves open', (_name, dates, indexed, expected) => {
    expect(complete(dates, indexed)).toEqual(expected);
  });

  it('counts the days until now, however far in the future the last one lies', () => {
    const dates = { firstDate: '2026-03-08', lastDate: '2099-12-31' };
    expect(complete(dates)).toEqual(['2026-03-08', '2099-12-31']);
    expect(() => complete({ ...dates, firstDate: '2026-03-07' })).toThrow('must be at most 100 days');
  });

  it('refuses a first day after today', () => {
    expect(() => complete({ firstDate: '2026-06-16', lastDate: '2099-12-31' })).toThrow(
      'firstDate: must not be after today, 2026-06-15 (UTC)',
    );
  });

  it('asks for a date when the end of the export is open', () => {
    expect(() => complete({}, '2026-01-01')).toThrow(
      'firstDate: must be at most 100 days from lastDate, which is 2026-06-15; data is available from 2026-01-01 on',
    );
  });
});
