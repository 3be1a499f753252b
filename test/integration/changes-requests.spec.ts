import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { packAddress } from '../../src/avalanche/ids/address.js';
import { MAX_STREAMS_PER_CALLER } from '../../src/resources/changes/open-streams.js';
import { Database } from '../../src/platform/database/database.js';
import { eventually } from '../support/harness/eventually.js';
import { moveIndex } from '../support/http/begun-indexes.js';
import { ChangeStream } from '../support/http/change-stream.js';
import { ListApi } from '../support/http/list-api.js';

const addressOf = (number: number): string =>
  packAddress({ hrp: 'fuji', bytes: new Uint8Array(20).fill(number) });
const QUERY = { network: 'fuji', addresses: addressOf(1) };

describe('GET /v1/changes', () => {
  let api: ListApi;

  beforeAll(async () => {
    api = await ListApi.start();
  });

  beforeEach(async () => {
    await api.dataSource.query('TRUNCATE index_checkpoints');
    await moveIndex(new Database(api.dataSource), { network: 'fuji', chain: 'P', cChainId: 1n }, 100);
  });

  const refusal = async (query: Record<string, string>, headers: Record<string, string> = {}) => {
    const response = await fetch(`${api.url}/v1/changes?${new URLSearchParams(query).toString()}`, {
      headers,
    });
    return { status: response.status, body: await response.json() };
  };
  const badRequest = (message: string) => ({
    status: 400,
    body: { message, statusCode: 400, error: 'Bad Request' },
  });
  const NO_CURSOR = 'must be the id of an event of such a stream';

  it('is a stream of events that nothing keeps back', async () => {
    const { response, lastId } = await ChangeStream.open(api.url, QUERY, { 'accept-encoding': 'gzip' });
    expect(lastId).toBe('p:100');
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-store, no-transform');
    expect(response.headers.get('content-encoding')).toBeNull();
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('x-request-id')).not.toBeNull();
  });

  it('ends at once for who asks for its headers', async () => {
    const url = `${api.url}/v1/changes?${new URLSearchParams(QUERY).toString()}`;
    for (let asked = 0; asked < 2 * MAX_STREAMS_PER_CALLER; asked += 1) {
      const response = await fetch(url, { method: 'HEAD' });
      expect([response.status, await response.text()]).toEqual([200, '']);
    }
  });

  it.each([
    ['nobody', { network: 'fuji' }, 'either addresses or nodeIds must be provided'],
    [
      'an address of another network',
      { network: 'mainnet', addresses: addressOf(1) },
      'addresses: addresses of this network start with avax1',
    ],
    ['no network', { addresses: addressOf(1) }, 'network: must be one of mainnet, fuji, testnet'],
    ['a cursor that is none', { ...QUERY, cursor: 'p' }, `cursor: ${NO_CURSOR}`],
    ['a cursor with a chain twice', { ...QUERY, cursor: 'p:1,p:2' }, `cursor: ${NO_CURSOR}`],
    ['a cursor within two blocks', { ...QUERY, cursor: 'p:1.1,x:2.1' }, `cursor: ${NO_CURSOR}`],
    ['a cursor of a height beyond all', { ...QUERY, cursor: `p:${'9'.repeat(30)}` }, `cursor: ${NO_CURSOR}`],
    ['a long cursor', { ...QUERY, cursor: `p:1${',x:1'.repeat(1_200)}` }, `cursor: ${NO_CURSOR}`],
    [
      'a cursor above the index',
      { ...QUERY, cursor: 'p:101' },
      "cursor: block 101 of p is above the index's 100",
    ],
    [
      'a cursor of a chain that is not indexed',
      { ...QUERY, cursor: 'p:1,x:1' },
      'cursor: x of fuji is not indexed',
    ],
    [
      'a cursor of a chain that does not exist',
      { ...QUERY, cursor: 'evm7:1' },
      'cursor: evm7 of fuji is not indexed',
    ],
    ['a misspelt parameter', { ...QUERY, address: 'x' }, 'unknown query parameter address'],
  ])('refuses %s', async (_what, query: Record<string, string>, message) => {
    const answer = await refusal(query);
    expect(answer).toEqual(badRequest(message));
  });

  it('refuses a cursor that has all of a history read', async () => {
    const place = { network: 'fuji', chain: 'P', cChainId: 1n } as const;
    await moveIndex(new Database(api.dataSource), place, 1_000_101);
    expect(await refusal({ ...QUERY, cursor: 'p:100' })).toEqual(
      badRequest('cursor: block 100 of p is more than 1000000 blocks behind: read the lists, and begin anew'),
    );
    const { lastId } = await ChangeStream.open(api.url, { ...QUERY, cursor: 'p:101' });
    expect(lastId).toBe('p:101');
  });

  it('refuses more addresses than any list takes', async () => {
    const addresses = Array.from({ length: 65 }, (_, index) => addressOf(index)).join(',');
    expect(await refusal({ network: 'fuji', addresses })).toEqual(
      badRequest('addresses: must not have more than 64 different values'),
    );
  });

  it('refuses a header that is no cursor, and takes an empty one for none', async () => {
    expect(await refusal(QUERY, { 'last-event-id': 'x' })).toEqual(badRequest(`Last-Event-ID: ${NO_CURSOR}`));
    const { lastId } = await ChangeStream.open(api.url, QUERY, { 'last-event-id': '' });
    expect(lastId).toBe('p:100');
  });

  it('asks to come back while nothing of the network is indexed', async () => {
    const { status, body } = await refusal({
      network: 'mainnet',
      nodeIds: 'NodeID-111111111111111111116DBWJs',
    });
    expect({ status, body }).toEqual({
      status: 503,
      body: { message: 'no chain of mainnet is indexed', statusCode: 503, error: 'Service Unavailable' },
    });
  });

  it('has so many places for a caller, which are free again once he leaves', async () => {
    const streams = await Promise.all(
      Array.from({ length: MAX_STREAMS_PER_CALLER }, () => ChangeStream.open(api.url, QUERY)),
    );
    const answers: Response[] = [];
    // Not more at a time than wait to be accepted while the process stands still.
    while (answers.length < 1_000) {
      const some = Array.from({ length: 100 }, () =>
        fetch(`${api.url}/v1/changes?${new URLSearchParams(QUERY).toString()}`),
      );
      answers.push(...(await Promise.all(some)));
    }
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([429]));
    const [refused] = answers;
    expect(refused?.headers.get('retry-after')).toBe('10');
    expect(await refused?.json()).toEqual({
      message: `the limit of ${MAX_STREAMS_PER_CALLER} open streams of changes is reached; you have ${MAX_STREAMS_PER_CALLER}`,
      statusCode: 429,
      error: 'Too Many Requests',
    });
    for (const stream of streams) stream.close();
    await eventually('a place is free', async () => {
      try {
        (await ChangeStream.open(api.url, QUERY)).close();
        return true;
      } catch {
        return false;
      }
    });
  });
});
