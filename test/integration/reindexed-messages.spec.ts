import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Address } from '../../src/avalanche/evm/rpc/hex-values.js';
import type { WatchedLog } from '../../src/indexes/evm/projections/watched-log.js';
import { isRecord, ListApi } from '../support/http/list-api.js';
import { type MadeMessage, messengerChain, receivedLog, sentLog } from '../support/evm/messenger-logs.js';
import { Messages } from '../support/signatures/messages.js';

const [HOME, AWAY] = [messengerChain('fuji', 1n), messengerChain('fuji', 2n)];
const ADDRESS: Address = '0x00000000000000000000000000000000000000aa';
const OTHER: Address = '0x00000000000000000000000000000000000000bb';
const PATH = `/v1/icm/addresses/${ADDRESS}/messages`;

describe('a list of messages that is read while a chain is indexed anew', () => {
  let api: ListApi;
  let messages: Messages;

  beforeAll(async () => {
    api = await ListApi.start();
    messages = new Messages(api.dataSource);
  });

  beforeEach(async () => {
    await api.dataSource.query('TRUNCATE icm_sends, icm_deliveries, icm_listings');
  });

  const message = (nonce: number): MadeMessage => ({
    source: HOME,
    destination: AWAY,
    nonce: BigInt(nonce),
    from: ADDRESS,
    to: OTHER,
  });
  const sent = (...nonces: readonly number[]): WatchedLog[] =>
    nonces.map((nonce) => sentLog(message(nonce), { height: BigInt(nonce), time: nonce }));
  const received = (...nonces: readonly number[]): WatchedLog[] =>
    nonces.map((nonce) => receivedLog(message(nonce), { height: BigInt(nonce), time: 100 + nonce }));

  const read = async (query: Record<string, string>): Promise<{ nonces: unknown[]; token: unknown }> => {
    const { status, body, text } = await api.get(PATH, query);
    if (status !== 200 || !isRecord(body) || !Array.isArray(body['messages'])) throw new Error(text);
    const nonces = body['messages'].map((each: unknown) => isRecord(each) && each['messageNonce']);
    return { nonces, token: body['nextPageToken'] };
  };
  const beginList = async (): Promise<string> => {
    const { token } = await read({ pageSize: '1' });
    if (typeof token !== 'string') throw new Error('no token');
    return token;
  };
  const goOn = async (pageToken: string): Promise<unknown[]> =>
    (await read({ pageSize: '100', pageToken })).nonces;

  it('leaves out what is not known meanwhile, and has all of it afterwards', async () => {
    await messages.apply(HOME, sent(1, 2, 3, 4));
    const token = await beginList();
    for (let round = 0; round < 2; round += 1) {
      await messages.clear(HOME);
      expect(await goOn(token)).toEqual([]);
      await messages.apply(HOME, sent(2, 4));
      expect((await read({ pageSize: '1', pageToken: token })).nonces).toEqual(['2']);
      await messages.apply(HOME, sent(1, 3));
      expect(await goOn(token)).toEqual(['3', '2', '1']);
    }
    expect((await read({})).nonces).toEqual(['4', '3', '2', '1']);
  });

  it('has a message once, wherever it stood in between', async () => {
    await messages.apply(AWAY, received(1, 2, 3));
    const tokens = [await beginList()];
    await messages.apply(HOME, sent(1, 2, 3));
    tokens.push(await beginList());
    await messages.clear(HOME);
    tokens.push(await beginList());
    await messages.apply(HOME, sent(1, 2, 3));
    tokens.push(await beginList());
    for (const token of tokens) expect(await goOn(token)).toEqual(['2', '1']);
  });

  it('keeps a few rows of each place', async () => {
    for (let round = 0; round < 6; round += 1) {
      await messages.apply(HOME, sent(1, 2));
      await messages.clear(HOME);
    }
    await messages.apply(HOME, sent(1, 2));
    const [row] = await api.dataSource.query<{ most: number }[]>(
      `SELECT max(count)::int AS most FROM (
         SELECT count(*) FROM icm_listings GROUP BY network, address, sort_time, message_id) AS place`,
    );
    expect(row?.most).toBe(3);
  });
});
