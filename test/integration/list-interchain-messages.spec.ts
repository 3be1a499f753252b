import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { getAddress } from 'viem/utils';
import { type Address, type Hash, type Hex, ZERO_ADDRESS } from '../../src/avalanche/evm/rpc/hex-values.js';
import { MESSENGER_TOPICS } from '../../src/avalanche/icm/messenger-event.js';
import { evmChainKey } from '../../src/platform/database/chains.js';
import { findLogs, insertLogs } from '../../src/indexes/evm/rows/log-rows.js';
import { logSetsOf } from '../../src/indexes/evm/sources/logs/log-sets.js';
import type { WatchedLog } from '../../src/indexes/evm/projections/watched-log.js';
import { isRecord, ListApi, TOKEN_REFUSAL } from '../support/http/list-api.js';
import { Messages } from '../support/signatures/messages.js';
import {
  executedLog,
  feeAddedLog,
  idOfMessage,
  type MadeMessage,
  messengerChain,
  receivedLog,
  retryInputOf,
  sentLog,
} from '../support/evm/messenger-logs.js';
import {
  readMessengerRecording,
  type SideOfMessages,
  splitOverChains,
} from '../support/evm/messenger-recording.js';

const recording = readMessengerRecording();
const split = splitOverChains(recording);
const { sender, receiver, feeToken, messenger, logsOf } = recording;
const SENDER = getAddress(sender);
const RECEIVER = getAddress(receiver);
const TOKEN = getAddress(feeToken);

const pathOf = (address: string): string => `/v1/icm/addresses/${address}/messages`;
const messagesOf = (body: unknown): Record<string, unknown>[] => {
  if (!isRecord(body) || !Array.isArray(body['messages'])) {
    throw new Error(`no messages: ${JSON.stringify(body)}`);
  }
  return body['messages'].filter(isRecord);
};

const NO_FEE = {
  address: ZERO_ADDRESS,
  name: '',
  symbol: '',
  decimals: 0,
  ercType: 'ERC-20',
  value: '0',
};
const feeOf = (value: string) => ({
  address: TOKEN,
  name: 'Fee Token',
  symbol: 'FEE',
  decimals: 18,
  ercType: 'ERC-20',
  value,
});
const receiptOf = (nonce: number) => [{ receivedMessageNonce: String(nonce), relayerRewardAddress: SENDER }];
const text = (words: string): string => `0x${Buffer.from(words).toString('hex')}`;

function placeOf(step: string, index = 0): { txHash: Hash; timestamp: number; gasSpent: string } {
  const log = logsOf(step)[index];
  if (log === undefined) throw new Error(`nothing logged in ${step}`);
  return { txHash: log.txHash, timestamp: log.blockTime, gasSpent: log.fee.toString() };
}

const sent = (step: string) => ({ sourceTransaction: placeOf(step) });
const delivered = (step: string) => ({
  destinationTransaction: { ...placeOf(step), rewardRedeemer: SENDER, delivererAddress: SENDER },
  status: 'delivered',
});

function retryInputAfter(step: string): Hex {
  const delivery = logsOf(step).find(({ topics }) => topics[0] === MESSENGER_TOPICS.received);
  if (delivery === undefined) throw new Error(`nothing delivered in ${step}`);
  return retryInputOf(delivery);
}

/** Expected outcome of each message of the recording, the newest first, by its steps. */
const RECORDED: readonly Record<string, unknown>[] = [
  {
    messageNonce: '8',
    to: ZERO_ADDRESS,
    data: '0x',
    messageExecuted: false,
    receipts: receiptOf(4),
    receiptDelivered: false,
    rewardDetails: NO_FEE,
    ...sent('specified receipts'),
    ...delivered('deliver specified receipts'),
  },
  {
    messageNonce: '7',
    to: RECEIVER,
    data: text('stays pending'),
    messageExecuted: false,
    receipts: receiptOf(6),
    receiptDelivered: false,
    rewardDetails: feeOf('300000000000000000'),
    ...sent('send pending'),
    status: 'pending',
  },
  {
    messageNonce: '6',
    retryExecution: {
      evmChainId: '43112',
      to: getAddress(messenger),
      data: retryInputAfter('deliver to nobody'),
    },
    data: text('no code there'),
    messageExecuted: false,
    receipts: receiptOf(5),
    receiptDelivered: false,
    rewardDetails: NO_FEE,
    ...sent('send to nobody'),
    ...delivered('deliver to nobody'),
  },
  {
    messageNonce: '5',
    to: RECEIVER,
    data: text('again'),
    messageExecuted: true,
    receipts: receiptOf(4),
    receiptDelivered: true,
    rewardDetails: NO_FEE,
    ...sent('send sent again'),
    ...delivered('deliver sent again'),
  },
  {
    messageNonce: '4',
    to: RECEIVER,
    data: text('receipts'),
    messageExecuted: true,
    receipts: receiptOf(3),
    receiptDelivered: true,
    rewardDetails: NO_FEE,
    ...sent('send carries receipts'),
    ...delivered('deliver carries receipts'),
  },
  {
    messageNonce: '3',
    to: RECEIVER,
    data: text('will fail'),
    messageExecuted: true,
    receipts: receiptOf(2),
    receiptDelivered: true,
    rewardDetails: NO_FEE,
    ...sent('send that fails'),
    ...delivered('deliver that fails'),
  },
  {
    messageNonce: '2',
    to: RECEIVER,
    data: text('paid'),
    messageExecuted: true,
    receipts: receiptOf(1),
    receiptDelivered: true,
    rewardDetails: feeOf('1500000000000000000'),
    ...sent('send with fee'),
    ...delivered('deliver with fee'),
  },
  {
    messageNonce: '1',
    to: RECEIVER,
    data: text('hello'),
    messageExecuted: true,
    receipts: [],
    receiptDelivered: true,
    rewardDetails: NO_FEE,
    ...sent('send plain'),
    ...delivered('deliver plain'),
  },
];

describe('GET /v1/icm/addresses/{address}/messages', () => {
  let api: ListApi;
  let messages: Messages;

  beforeAll(async () => {
    api = await ListApi.start();
    messages = new Messages(api.dataSource);
  });

  beforeEach(async () => {
    await api.dataSource.query(
      'TRUNCATE icm_sends, icm_deliveries, icm_fees, icm_executions, icm_senders, icm_listings, icm_chains, evm_logs, evm_tokens',
    );
    await api.dataSource.query(
      `INSERT INTO evm_tokens (chain_key, contract, name, symbol, decimals)
       VALUES ($1, $2, 'Fee Token', 'FEE', 18)`,
      [evmChainKey(recording.chain), Buffer.from(feeToken.slice(2), 'hex')],
    );
  });

  const list = async (address: string, query: Record<string, string> = {}) => {
    const { status, body, text: answer } = await api.get(pathOf(address), { pageSize: '100', ...query });
    if (status !== 200) throw new Error(answer);
    return messagesOf(body);
  };
  const nonces = async (address: string, query: Record<string, string> = {}) =>
    (await list(address, query)).map((message) => message['messageNonce']);
  const apply = async (...sides: readonly SideOfMessages[]): Promise<void> => {
    for (const { chain, logs } of sides) await messages.apply(chain, logs);
  };

  it('shows every message of a recorded chain with what became of it, made of the logs on record', async () => {
    const { chain, logs } = recording;
    const [set] = logSetsOf({ watch: ['messages'], messengers: [messenger] });
    if (set === undefined) throw new Error('no messages are watched');
    await messages.database.transaction((transaction) => insertLogs(transaction, chain, set, logs));
    const stored = await findLogs(messages.database, chain, { sets: [set.name], after: 0n, limit: 1000 });
    expect(stored).toHaveLength(logs.length);
    await messages.apply(chain, stored);
    const answer = await api.get(pathOf(SENDER));
    expect(answer).toMatchObject({ status: 200, contentType: 'application/json; charset=utf-8' });
    const shown = messagesOf(answer.body);
    expect(shown).toMatchObject(RECORDED);
    for (const [index, message] of shown.entries()) {
      expect(message).toMatchObject({
        icmContractAddress: getAddress(messenger),
        sourceBlockchainId: chain.blockchainId,
        destinationBlockchainId: chain.blockchainId,
        sourceEvmChainId: '43112',
        destinationEvmChainId: '43112',
        from: SENDER,
      });
      expect(message['messageId']).toMatch(/^[0-9a-f]{64}$/);
      expect('destinationTransaction' in message).toBe(message['status'] !== 'pending');
      expect(
        Object.keys(message)
          .filter((name) => !(name in (RECORDED[index] ?? {})))
          .sort(),
      ).toEqual([
        'destinationBlockchainId',
        'destinationEvmChainId',
        'from',
        'icmContractAddress',
        'messageId',
        'sourceBlockchainId',
        'sourceEvmChainId',
        ...('to' in (RECORDED[index] ?? {}) ? [] : ['to']),
      ]);
    }
  });

  it('shows each message in its state at every step', async () => {
    const stateAfter = async (step: string, nonce: string) => {
      await messages.apply(recording.chain, logsOf(step));
      const found = (await list(sender)).find((message) => message['messageNonce'] === nonce);
      if (found === undefined || !isRecord(found['rewardDetails'])) throw new Error(`no message ${nonce}`);
      return [
        found['status'],
        found['messageExecuted'],
        found['receiptDelivered'],
        found['rewardDetails']['value'],
      ];
    };
    expect(await stateAfter('send with fee', '2')).toEqual(['pending', false, false, '1000000000000000000']);
    expect(await stateAfter('add fee', '2')).toEqual(['pending', false, false, '1500000000000000000']);
    expect(await stateAfter('deliver with fee', '2')).toEqual([
      'delivered',
      true,
      false,
      '1500000000000000000',
    ]);
    expect(await stateAfter('send that fails', '3')).toEqual(['pending', false, false, '0']);
    expect(await stateAfter('deliver that fails', '3')).toEqual(['delivered', false, false, '0']);
    expect(await stateAfter('retry execution', '3')).toEqual(['delivered', true, false, '0']);
    expect(await stateAfter('deliver carries receipts', '3')).toEqual(['delivered', true, true, '0']);
    expect(await stateAfter('send sent again', '5')).toEqual(['pending', false, false, '0']);
    const first = await list(sender);
    await messages.apply(recording.chain, logsOf('retry send'));
    expect(await list(sender)).toEqual(first);
  });

  it('shows the same whichever chain is indexed first', async () => {
    await apply(split.source, split.destination);
    const expected = await list(sender);
    expect(expected).toHaveLength(RECORDED.length);
    expect(expected[0]).toMatchObject({
      sourceBlockchainId: split.source.chain.blockchainId,
      destinationBlockchainId: split.destination.chain.blockchainId,
      sourceEvmChainId: '43112',
      destinationEvmChainId: '5555',
    });
    for (const { chain } of [split.source, split.destination]) await messages.clear(chain);
    expect(await list(sender)).toEqual([]);
    await apply(split.destination, split.source);
    expect(await list(sender)).toEqual(expected);
  });

  it('shows what the destination knows while the source is not indexed', async () => {
    await apply(split.destination);
    const [message] = await list(receiver);
    expect(message).toEqual({
      messageId: expect.stringMatching(/^[0-9a-f]{64}$/),
      icmContractAddress: getAddress(messenger),
      sourceBlockchainId: split.source.chain.blockchainId,
      destinationBlockchainId: split.destination.chain.blockchainId,
      sourceEvmChainId: '0',
      destinationEvmChainId: '5555',
      messageNonce: '5',
      from: SENDER,
      to: RECEIVER,
      data: text('again'),
      messageExecuted: true,
      receipts: receiptOf(4),
      receiptDelivered: false,
      rewardDetails: NO_FEE,
      destinationTransaction: {
        ...placeOf('deliver sent again'),
        rewardRedeemer: SENDER,
        delivererAddress: SENDER,
      },
      status: 'delivered_source_not_indexed',
    });
    expect(await nonces(sender)).toEqual(['8', '6', '5', '4', '3', '2', '1']);
    const [id] = await messages.database.query<{ id: Buffer }>({
      text: `INSERT INTO blockchains (network, blockchain_id, subnet_id, name, vm_id, fx_ids, genesis_data, block_height, block_time, evm_chain_id)
             SELECT DISTINCT 'fuji', source_blockchain_id, ''::bytea, 'x', ''::bytea, '{}'::bytea[], ''::bytea, 0, 0, 1234567
               FROM icm_deliveries RETURNING blockchain_id AS id`,
      values: [],
    });
    expect(id).toBeDefined();
    expect((await list(receiver))[0]).toMatchObject({ sourceEvmChainId: '1234567' });
  });

  it('lists messages of the sender and of the recipient, once, in any upper and lower case', async () => {
    await apply(recording);
    expect(await nonces(RECEIVER)).toEqual(['7', '5', '4', '3', '2', '1']);
    expect(await nonces(receiver)).toEqual(await nonces(RECEIVER));
    expect(await nonces(sender.toUpperCase().replace('0X', '0x'))).toHaveLength(8);
    expect(await nonces(ZERO_ADDRESS)).toContain('8');
    expect(await nonces(feeToken)).toEqual([]);
  });

  describe('with many messages', () => {
    const [home, away, liar, main] = [
      messengerChain('fuji', 1n),
      messengerChain('fuji', 2n),
      messengerChain('fuji', 3n),
      messengerChain('mainnet', 4n),
    ];
    const address: Address = sender;
    const messageOf = (nonce: number, changes: Partial<MadeMessage> = {}): MadeMessage => ({
      source: home,
      destination: away,
      nonce: BigInt(nonce),
      from: address,
      to: receiver,
      ...changes,
    });
    const sentAt = (nonce: number, time: number): WatchedLog =>
      sentLog(messageOf(nonce), { height: BigInt(nonce), time });
    const receivedAt = (nonce: number, time: number): WatchedLog =>
      receivedLog(messageOf(nonce), { height: BigInt(nonce), time });

    it('mixes both networks by time without `network`, and takes testnet for fuji', async () => {
      const toMain = (nonce: number) => messageOf(nonce, { source: main, destination: main });
      const times = (some: readonly number[]) => some.map((nonce) => sentAt(nonce, 100 + nonce));
      await messages.apply(home, times([1, 3, 5, 7]));
      await messages.apply(
        main,
        [2, 4, 5, 6].map((nonce) => sentLog(toMain(nonce), { height: BigInt(nonce), time: 100 + nonce })),
      );
      for (const pageSize of [1, 2, 3, 100]) {
        const all = await api.walk(pathOf(address), 'messages', {}, () => pageSize);
        expect(all.map((each) => each['messageNonce'])).toEqual(['7', '6', '5', '5', '4', '3', '2', '1']);
        expect(new Set(all.map((each) => each['messageId'])).size).toBe(8);
      }
      expect(await nonces(address, { network: 'mainnet' })).toEqual(['6', '5', '4', '2']);
      for (const network of ['fuji', 'testnet']) {
        expect(await nonces(address, { network })).toEqual(['7', '5', '3', '1']);
      }
    });

    it('shows a message once for each network that has it', async () => {
      const twin = { ...home, network: 'mainnet' } as const;
      for (const chain of [home, twin]) await messages.apply(chain, [sentAt(1, 100), sentAt(2, 100)]);
      const all = await api.walk(pathOf(address), 'messages', {}, () => 1);
      const ids = [1, 2].map((nonce) => idOfMessage(messageOf(nonce)).slice(2));
      expect(all.map((each) => each['messageId']).sort()).toEqual([...ids, ...ids].sort());
    });

    it('does not take fees and executions from chains that are not the message’s', async () => {
      const message = messageOf(1);
      await messages.apply(home, [sentLog(message, { height: 1n }, { token: feeToken, amount: 5n })]);
      await messages.apply(away, [receivedLog(message, { height: 2n })]);
      const before = await list(address);
      expect(before).toMatchObject([{ messageExecuted: false, rewardDetails: { value: '5' } }]);
      await messages.apply(liar, [
        feeAddedLog(message, { height: 9n }, feeToken, 9n),
        executedLog(message, { height: 9n, logIndex: 1 }),
      ]);
      await messages.apply(home, [
        feeAddedLog(message, { height: 9n, contract: messenger }, feeToken, 9n),
        executedLog(message, { height: 9n, logIndex: 1 }),
      ]);
      expect(await list(address)).toEqual(before);
    });

    it('neither skips nor repeats a message while others arrive, are delivered, and get to know their source', async () => {
      const COUNT = 60;
      const all = Array.from({ length: COUNT }, (_, index) => index + 1);
      // Some times are equal; every third is known by its delivery alone, far above where its source belongs.
      const sendTime = (nonce: number) => 1000 + Math.floor(nonce / 2);
      const isDeliveredOnly = (nonce: number) => nonce % 3 === 0;
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 5 }),
          fc.array(fc.subarray(all, { minLength: 1, maxLength: 20 }), { minLength: 1, maxLength: 30 }),
          async (pageSizes, changes) => {
            for (const chain of [home, away]) await messages.clear(chain);
            await messages.apply(
              home,
              all.filter((nonce) => !isDeliveredOnly(nonce)).map((nonce) => sentAt(nonce, sendTime(nonce))),
            );
            await messages.apply(
              away,
              all.filter(isDeliveredOnly).map((nonce) => receivedAt(nonce, 1010 + sendTime(nonce))),
            );
            const expected = (await list(address)).map((each) => each['messageId']);
            let page = 0;
            const shown = await api.walk(
              pathOf(address),
              'messages',
              {},
              () => pageSizes[page % pageSizes.length] ?? 1,
              async () => {
                const changed = changes[page++ % changes.length] ?? [];
                const arriving = COUNT + page;
                await messages.apply(home, [
                  ...changed.map((nonce) => sentAt(nonce, sendTime(nonce))),
                  sentAt(arriving, 1000 + ((page * 7) % 40)),
                ]);
                await messages.apply(
                  away,
                  changed.map((nonce) => receivedAt(nonce, 1010 + sendTime(nonce))),
                );
              },
            );
            expect(shown.map((each) => each['messageId'])).toEqual(expected);
          },
        ),
        { numRuns: 6 },
      );
    });

    it('shows what became of a message in the meantime on the pages that follow', async () => {
      await messages.apply(home, [sentAt(1, 1), sentAt(2, 2)]);
      const { body } = await api.get(pathOf(address), { pageSize: '1' });
      if (!isRecord(body) || typeof body['nextPageToken'] !== 'string') throw new Error('no token');
      await messages.apply(away, [receivedAt(1, 9)]);
      const next = await api.get(pathOf(address), { pageSize: '1', pageToken: body['nextPageToken'] });
      expect(messagesOf(next.body)).toMatchObject([{ messageNonce: '1', status: 'delivered' }]);
    });

    it('answers 400 to a token of another address or network, and the next page to the address in another case', async () => {
      await messages.apply(home, [sentAt(1, 1), sentAt(2, 2)]);
      const { body } = await api.get(pathOf(address), { pageSize: '1', network: 'fuji' });
      if (!isRecord(body) || typeof body['nextPageToken'] !== 'string') throw new Error('no token');
      const pageToken = body['nextPageToken'];
      const refusal = { message: TOKEN_REFUSAL, statusCode: 400, error: 'Bad Request' };
      for (const [path, network] of [
        [pathOf(receiver), 'fuji'],
        [pathOf(address), 'mainnet'],
      ] as const) {
        expect(await api.get(path, { pageToken, network })).toMatchObject({ status: 400, body: refusal });
      }
      expect((await api.get(pathOf(address), { pageToken })).status).toBe(400);
      const next = await api.get(pathOf(SENDER), { pageToken, network: 'testnet' });
      expect(messagesOf(next.body)).toMatchObject([{ messageNonce: '1' }]);
    });
  });

  const misspelt = `${SENDER.slice(0, -2)}${SENDER.slice(-2).toLowerCase() === SENDER.slice(-2) ? SENDER.slice(-2).toUpperCase() : SENDER.slice(-2).toLowerCase()}`;
  it.each([
    [`${sender}?pageSize=0`, 'pageSize: must be a whole number from 1 to 100'],
    [`${sender}?pageSize=101`, 'pageSize: must be a whole number from 1 to 100'],
    [`${sender}?network=local`, 'network: must be one of mainnet, fuji, testnet'],
    [`${sender}?sortOrder=asc`, 'unknown query parameter sortOrder'],
    [`${sender}?pageToken=abc`, TOKEN_REFUSAL],
    [sender.slice(0, -1), 'address: must be an address: 0x and 40 hex digits'],
    [sender.slice(2), 'address: must be an address: 0x and 40 hex digits'],
    [
      misspelt,
      'address: must have the right upper and lower case letters (EIP-55 checksum), or only lower case ones',
    ],
  ])('answers 400 to %s', async (asked, message) => {
    const [address = '', query] = asked.split('?');
    const answer = await api.get(`${pathOf(address)}${query === undefined ? '' : `?${query}`}`);
    expect(answer).toMatchObject({ status: 400, contentType: 'application/json; charset=utf-8' });
    expect(answer.body).toEqual({ message, statusCode: 400, error: 'Bad Request' });
  });
});
