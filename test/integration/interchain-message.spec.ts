import { beforeAll, describe, expect, it } from '@jest/globals';
import { fromHex, toHex } from '../../src/avalanche/ids/hex.js';
import { SEND_WARP_MESSAGE_TOPIC, unwrapMessageInput } from '../../src/avalanche/warp/send-warp-log.js';
import { unpackUnsignedMessage } from '../../src/avalanche/warp/unsigned-message.js';
import { insertLogs } from '../../src/indexes/evm/rows/log-rows.js';
import { logSetsOf } from '../../src/indexes/evm/sources/logs/log-sets.js';
import { readMessengerRecording, splitOverChains } from '../support/evm/messenger-recording.js';
import { isRecord, ListApi } from '../support/http/list-api.js';
import { Messages } from '../support/signatures/messages.js';

const recording = readMessengerRecording();
const { chain, logs, messenger, sender, blocks } = recording;
const FUJI = 5;

const pathOf = (id: string): string => `/v1/icm/messages/${id}`;

/** Logs of the precompile of the recorded network, by the payload. */
const sentPayloads = blocks
  .flatMap((block) => block.transactions.flatMap((transaction) => transaction.logs))
  .filter(({ topics }) => topics[0] === SEND_WARP_MESSAGE_TOPIC)
  .map(({ data }) => toHex(unpackUnsignedMessage(unwrapMessageInput(fromHex(data))).payload));

describe('GET /v1/icm/messages/{messageId}', () => {
  let api: ListApi;
  let messages: Messages;

  beforeAll(async () => {
    api = await ListApi.start(undefined, { NETWORKS: 'fuji' });
    messages = new Messages(api.dataSource);
  });

  const wipe = (): Promise<unknown> =>
    api.dataSource.query(
      'TRUNCATE icm_sends, icm_deliveries, icm_fees, icm_executions, icm_senders, icm_listings, icm_chains, evm_logs',
    );

  const index = async (): Promise<Record<string, unknown>[]> => {
    await wipe();
    const [set] = logSetsOf({ watch: ['messages'], messengers: [messenger] });
    if (set === undefined) throw new Error('no messages are watched');
    await messages.database.transaction((transaction) => insertLogs(transaction, chain, set, logs));
    await messages.apply(chain, logs);
    return list();
  };

  const list = () => api.walk(`/v1/icm/addresses/${sender}/messages`, 'messages', {}, () => 100);

  it('shows each message as the lists do, with the bytes that the chain gave its validators to sign', async () => {
    const listed = await index();
    expect(listed).toHaveLength(8);
    const payloads = new Set<string>();
    for (const message of listed) {
      const { status, body } = await api.get(pathOf(String(message['messageId'])));
      if (status !== 200 || !isRecord(body)) throw new Error(`${status} ${JSON.stringify(body)}`);
      const { unsignedMessage, ...rest } = body;
      expect(rest).toEqual(message);
      const { networkId, sourceChainId, payload } = unpackUnsignedMessage(fromHex(String(unsignedMessage)));
      expect({ networkId, sourceChainId: toHex(sourceChainId) }).toEqual({
        networkId: FUJI,
        sourceChainId: recording.blockchainId.slice(2),
      });
      payloads.add(toHex(payload));
    }
    // One of the messages was sent twice.
    expect([...payloads].sort()).toEqual([...new Set(sentPayloads)].sort());
  });

  it('shows a message whose source is not indexed without what only that knows', async () => {
    await wipe();
    const { destination } = splitOverChains(recording);
    await messages.apply(destination.chain, destination.logs);
    const [message] = await list();
    const { status, body } = await api.get(pathOf(String(message?.['messageId'])));
    expect({ status, body }).toEqual({ status: 200, body: message });
  });

  it('shows a message of a network that only EVM chains are served of as the lists do', async () => {
    const [message] = await index();
    const other = await ListApi.start(api.databaseUrl);
    const { status, body } = await other.get(pathOf(String(message?.['messageId'])));
    expect({ status, body }).toEqual({ status: 200, body: message });
  });

  it('finds an id with 0x, in upper case and on its network, and no other', async () => {
    const [message] = await index();
    const id = String(message?.['messageId']);
    const expected = await api.get(pathOf(id));
    expect((await api.get(pathOf(`0x${id.toUpperCase()}`))).body).toEqual(expected.body);
    expect((await api.get(pathOf(id), { network: 'testnet' })).body).toEqual(expected.body);
    for (const [other, query] of [
      ['ab'.repeat(32), {}],
      [id, { network: 'mainnet' }],
    ] as const) {
      expect(await api.get(pathOf(other), query)).toMatchObject({
        status: 404,
        body: { message: `there is no message ${other}`, statusCode: 404, error: 'Not Found' },
      });
    }
  });

  it.each([
    ['ab', {}, 'messageId: must be the id of an interchain message: 64 hex digits, with or without 0x'],
    ['ab'.repeat(32), { network: 'local' }, 'network: must be one of mainnet, fuji, testnet'],
    ['ab'.repeat(32), { pageSize: '1' }, 'unknown query parameter pageSize'],
  ])('refuses %s with %j by 400', async (id, query, message) => {
    expect(await api.get(pathOf(id), query)).toMatchObject({
      status: 400,
      body: { message, statusCode: 400, error: 'Bad Request' },
    });
  });
});
