import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EXAMPLES } from '../../src/platform/http/openapi/examples.js';
import { randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { Database } from '../../src/platform/database/database.js';
import { evmChainKey } from '../../src/platform/database/chains.js';
import { EvmPartitions } from '../../src/indexes/evm/rows/partitions.js';
import { dayOf } from '../../src/exports/turns/days.js';
import { isRecord } from '../support/http/list-api.js';
import type { OperationsApi } from '../support/http/operations-api.js';
import {
  ADDRESS,
  CHECKSUMMED,
  messageOf,
  now,
  OperationsBed,
  options,
  refused,
  today,
  TYPE,
  valid,
} from '../support/exports/operations-bed.js';
import { DAY_SECONDS } from '../../src/platform/time.js';

/** Well-formed, and nobody's. */
const signatureNumber = (i: number): string => `0x${i.toString(16).padStart(130, '0')}`;

describe('requests of operations', () => {
  let bed: OperationsBed;
  let api: OperationsApi;

  beforeAll(async () => {
    bed = await OperationsBed.start();
    ({ api } = bed);
  });

  afterAll(() => bed.stop());

  describe('with dates', () => {
    const datesOf = async (dates: object) => {
      const { firstDate, lastDate } = (await bed.inputOf(await bed.create({ type: TYPE, options, ...dates })))
        .request;
      return [firstDate, lastDate];
    };

    /** Dates without an end, of which the last is the day on which it was asked for. */
    const expectUntilToday = async (dates: object, firstDate?: string): Promise<void> => {
      const before = today();
      const [first, last] = await datesOf(dates);
      expect([before, today()]).toContain(last);
      expect(first).toBe(firstDate ?? last);
    };

    it('take them under their old names, which give way to the new ones', async () => {
      expect(await datesOf({ startDate: '2026-01-01', endDate: '2026-02-01' })).toEqual([
        '2026-01-01',
        '2026-02-01',
      ]);
      expect(
        await datesOf({ startDate: '2026-01-01', endDate: '2026-02-01', firstDate: '2025-12-31' }),
      ).toEqual(['2025-12-31', '2026-02-01']);
      expect(
        await datesOf({ startDate: '2026-01-01', endDate: '2020-02-01', lastDate: '2026-02-02' }),
      ).toEqual(['2026-01-01', '2026-02-02']);
      expect(
        await datesOf({ startDate: '2099-01-01', firstDate: '2025-12-31', lastDate: '2026-02-02' }),
      ).toEqual(['2025-12-31', '2026-02-02']);
    });

    it('take an end in the future', async () => {
      expect(await datesOf({ firstDate: '2026-01-01', lastDate: '2099-12-31' })).toEqual([
        '2026-01-01',
        '2099-12-31',
      ]);
    });

    it('fill in what is left out: until today, from the first day that is indexed of any of the chains', async () => {
      await expectUntilToday({});
      expect(await datesOf({ lastDate: '2026-01-05' })).toEqual(['2026-01-05', '2026-01-05']);
      await expectUntilToday({ firstDate: '2026-01-05' }, '2026-01-05');

      const firstTime = now() - 400 * DAY_SECONDS;
      const secondTime = firstTime - 500 * DAY_SECONDS;
      const fuji = { network: 'fuji', chainId: 43113n } as const;
      const mainnet = { network: 'mainnet', chainId: 43114n } as const;
      const partitions = new EvmPartitions(new Database(api.dataSource));
      await partitions.ensure(fuji, { from: 0n, to: 1n }, 1);
      await partitions.ensure(mainnet, { from: 700n, to: 700n }, 1);
      await api.dataSource.query(
        `INSERT INTO evm_blocks (chain_key, height, hash, block_time, needs_trace)
         VALUES ($3, 0, '', 0, false), ($3, 1, '', $1, false), ($4, 700, '', $2, false)`,
        [firstTime, secondTime, evmChainKey(fuji).toString(), evmChainKey(mainnet).toString()],
      );
      await api.dataSource.query(
        `INSERT INTO index_coverage (network, chain, facet, from_height, to_height, status, version)
         VALUES ('fuji', 'evm-43113', 'base', 0, 700, 'complete', 1), ('mainnet', 'evm-43114', 'base', 700, 700, 'complete', 1)`,
      );
      await expectUntilToday({}, dayOf(firstTime));
      const both = { addresses: [ADDRESS], includeChains: ['43113', '43114', '99999'] };
      await expectUntilToday({ options: both }, dayOf(secondTime));
      expect(await datesOf({ lastDate: '2000-01-05' })).toEqual(['2000-01-05', '2000-01-05']);
    });
  });

  it('take signatures of the addresses for their keys', async () => {
    const addresses = [ADDRESS, EXAMPLES.evmAddress];
    const signatures = Array.from({ length: 100 }, () => EXAMPLES.keySignature);
    const body = { ...valid, options: { ...options, addresses, signatures } };
    const { request } = await bed.inputOf(await bed.create(body));
    expect(request).toMatchObject({ signers: [EXAMPLES.evmAddress.toLowerCase()] });
  });

  describe('with bad input', () => {
    const with_ = (changes: object) => ({ ...valid, ...changes });
    const withOptions = (changes: object) => ({ ...valid, options: { ...options, ...changes } });
    /** Still ahead when the day ends meanwhile. */
    const future = dayOf(now() + 2 * DAY_SECONDS);
    const addressRule = 'must be an address: 0x and 40 hex digits';
    const dateRule = 'must be a date, YYYY-MM-DD, from 1970-01-01 on';
    const chainIdRule = 'must be an EVM chain id in decimal digits, e.g. "43114"';
    const configured = 'configured are 43114 (C-Chain), 43113 (Fuji C-Chain), 99999 (An L1)';

    it.each<[string, unknown, string]>([
      ['no JSON object: a list', [], 'the body must be a JSON object'],
      ['no JSON object: null', null, 'the body must be a JSON object'],
      ['no JSON object: text', '"x"', 'the body must be a JSON object'],
      ['an unknown property', with_({ formatt: 'csv' }), 'unknown property formatt'],
      [
        'many unknown properties',
        with_(Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`${i}`.padStart(200, 'x'), i]))),
        `unknown property ${Array.from({ length: 5 }, () => 'x'.repeat(40)).join(', ')}, and 95 more`,
      ],
      ['no type', with_({ type: undefined }), `type: must be ${TYPE}`],
      [
        'the type of a ledger',
        with_({ type: 'TRANSACTION_EXPORT_PRIMARY_NETWORK' }),
        `type: must be ${TYPE}`,
      ],
      [
        'an unknown time zone',
        withOptions({ timeZone: 'Europe/Atlantis' }),
        'options.timeZone: must be the IANA name of a time zone, e.g. Europe/Zurich',
      ],
      [
        'an offset for a time zone',
        withOptions({ timeZone: '+05:30' }),
        'options.timeZone: must be the IANA name of a time zone, e.g. Europe/Zurich',
      ],
      [
        'a signature of half the length',
        withOptions({ signatures: ['0x1234'] }),
        'options.signatures[0]: must be a signature of 65 bytes, 0x and 130 hex digits',
      ],
      [
        'a signature that is none',
        withOptions({ signatures: [`0x${'ff'.repeat(65)}`] }),
        'options.signatures[0]: must be a signature of 65 bytes, 0x and 130 hex digits',
      ],
      [
        'more signatures than addresses',
        withOptions({ signatures: Array.from({ length: 1_900 }, (_, i) => signatureNumber(i)) }),
        'options.signatures: must not have more than 1 different values',
      ],
      [
        'a signature of somebody else',
        withOptions({ signatures: [EXAMPLES.keySignature] }),
        'options.signatures: one is of 0x8db97c7cece249c2b98bdc0226cc4c2a57bf52fc, or of another text, and not of one of options.addresses',
      ],
      [
        'an unknown format',
        withOptions({ format: 'xls' }),
        'options.format: must be standard, koinly or cointracker',
      ],
      [
        'no options',
        with_({ options: undefined }),
        'options: must be an object with addresses and includeChains',
      ],
      [
        'a list as options',
        with_({ options: [] }),
        'options: must be an object with addresses and includeChains',
      ],
      ['an unknown option', withOptions({ hasNative: true }), 'options: unknown property hasNative'],
      [
        'no addresses',
        withOptions({ addresses: undefined }),
        'options.addresses: must be a list of addresses',
      ],
      [
        'addresses as text',
        withOptions({ addresses: ADDRESS }),
        'options.addresses: must be a list of addresses',
      ],
      ['an empty list', withOptions({ addresses: [] }), 'options.addresses: must name at least one address'],
      ['a number', withOptions({ addresses: [7] }), `options.addresses[0]: ${addressRule}`],
      [
        'a short address',
        withOptions({ addresses: [ADDRESS, ADDRESS.slice(1)] }),
        `options.addresses[1]: ${addressRule}`,
      ],
      ['a bech32 address', withOptions({ addresses: ['P-avax1x'] }), `options.addresses[0]: ${addressRule}`],
      [
        'a wrong checksum',
        withOptions({ addresses: [CHECKSUMMED.replace('5aA', '5AA')] }),
        'options.addresses[0]: must have the right upper and lower case letters (EIP-55 checksum), or only lower case ones',
      ],
      [
        'too many addresses',
        withOptions({ addresses: Array.from({ length: 65 }, (_, i) => `0x${String(i).padStart(40, '0')}`) }),
        'options.addresses: must not have more than 64 different values',
      ],
      [
        'no chains',
        withOptions({ includeChains: undefined }),
        'options.includeChains: must be a list of EVM chain ids',
      ],
      [
        'an empty list of chains',
        withOptions({ includeChains: [] }),
        'options.includeChains: must name at least one EVM chain id',
      ],
      [
        'a chain id as number',
        withOptions({ includeChains: [43113] }),
        `options.includeChains[0]: ${chainIdRule}`,
      ],
      [
        'a chain id in hex',
        withOptions({ includeChains: ['0xa869'] }),
        `options.includeChains[0]: ${chainIdRule}`,
      ],
      [
        'an unknown chain',
        withOptions({ includeChains: ['43113', '1'] }),
        `options.includeChains: 1 is not an EVM chain of this service; ${configured}`,
      ],
      ['another form of a date', with_({ firstDate: '2026-1-1' }), `firstDate: ${dateRule}`],
      ['a time', with_({ lastDate: '2026-01-01T00:00:00Z' }), `lastDate: ${dateRule}`],
      ['a number as date', with_({ startDate: 20260101 }), `startDate: ${dateRule}`],
      ['a day that never was', with_({ firstDate: '2023-02-30' }), `firstDate: ${dateRule}`],
      ['no leap year', with_({ endDate: '2025-02-29' }), `endDate: ${dateRule}`],
      ['a month too many', with_({ firstDate: '2023-13-01' }), `firstDate: ${dateRule}`],
      ['a day before all', with_({ firstDate: '1969-12-31' }), `firstDate: ${dateRule}`],
      [
        'last before first',
        with_({ firstDate: '2026-01-02', lastDate: '2026-01-01' }),
        'firstDate: must not be after lastDate (2026-01-02, 2026-01-01)',
      ],
      [
        'old names in the wrong order, by those names',
        { type: TYPE, options, startDate: '2026-01-02', endDate: '2026-01-01' },
        'startDate: must not be after endDate (2026-01-02, 2026-01-01)',
      ],
      [
        'too long a time',
        with_({ firstDate: '2000-01-01', lastDate: '2026-01-31' }),
        'firstDate: must be at most 3660 days from lastDate, which is 2026-01-31',
      ],
      [
        'several problems',
        { type: 'X', options: { addresses: [], includeChains: ['x'] } },
        `type: must be ${TYPE}; options.addresses: must name at least one address; options.includeChains[0]: ${chainIdRule}`,
      ],
    ])('are answered with 400: %s', async (_name, body, message) => {
      refused(await api.export(body), 400, message);
    });

    it.each([
      ['firstDate', with_({ firstDate: future, lastDate: future })],
      ['startDate', { type: TYPE, options, startDate: future }],
    ])('are answered with 400 for a %s in the future', async (name, body) => {
      const days = [today()];
      const answer = await api.export(body);
      days.push(today());
      const messages = days.map((day) => `${name}: must not be after today, ${day} (UTC)`);
      expect(messages).toContain(messageOf(answer));
      refused(answer, 400, String(messageOf(answer)));
    });

    it.each([
      ['malformed JSON', '{"type":'],
      ['an empty body', ''],
    ])('are answered with 400 for an unreadable body: %s', async (_name, body) => {
      const answer = await api.export(body);
      refused(answer, 400, String(messageOf(answer)));
    });

    it.each([
      ['nothing', ''],
      ['two words', 'two words'],
      ['other letters', 'ä'],
      ['too much', 'x'.repeat(256)],
    ])('are answered with 400 for the Idempotency-Key %s', async (_name, key) => {
      refused(
        await api.export(valid, { 'idempotency-key': key }),
        400,
        'Idempotency-Key: must be 1 to 255 visible ASCII characters',
      );
    });

    it.each(['x', '1234', `${randomUUID()}0`, 'transactions'])(
      'are answered with 400 for the operation id %s',
      async (id) => {
        refused(await api.get(id), 400, 'operationId: must be a UUID');
      },
    );

    it('are answered with 404 for an unknown operation', async () => {
      const id = randomUUID();
      refused(await api.get(id), 404, `there is no operation ${id}`, 'Not Found');
    });

    it.each(['a b', 'user@host', 'host/path', 'host:99999'])(
      'are answered with 400 for the Host %j',
      async (host) => {
        const id = await bed.create();
        const { hostname, port } = new URL(api.url);
        const status = await new Promise<number | undefined>((resolve, reject) => {
          httpRequest({ hostname, port, path: `/v1/operations/${id}`, headers: { host } }, (response) => {
            response.resume();
            resolve(response.statusCode);
          })
            .on('error', reject)
            .end();
        });
        expect(status).toBe(400);
      },
    );
  });

  it('are described by the OpenAPI document as they are', async () => {
    const { body } = await api.request('/openapi.json');
    const paths = isRecord(body) ? body['paths'] : undefined;
    if (!isRecord(paths)) throw new Error('no paths');
    expect(paths).toMatchObject({
      '/v1/operations/transactions:export': {
        post: {
          parameters: [{ name: 'Idempotency-Key', in: 'header', required: false }],
          responses: { 201: {}, 400: {}, 503: {} },
        },
      },
      '/v1/operations/{operationId}': {
        get: { parameters: [{ name: 'operationId', in: 'path' }], responses: { 200: {}, 404: {} } },
      },
    });
  });
});
