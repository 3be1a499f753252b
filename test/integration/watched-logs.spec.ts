import { beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { numberToHex, padHex } from 'viem/utils';
import { EvmClient } from '../../src/avalanche/evm/rpc/evm-client.js';
import type { Hex } from '../../src/avalanche/evm/rpc/hex-values.js';
import { addressFor, rawBlock, type RawLog, tracedBlock } from '../../sandbox/generated/evm-block.js';
import { MESSENGER_TOPICS } from '../../src/avalanche/icm/messenger-event.js';
import { TRANSFERRER_TOPICS } from '../../src/avalanche/icm/transferrer-event.js';
import { evmChainKey } from '../../src/platform/database/chains.js';
import { type EvmChain, MESSENGER } from '../../src/platform/evm-chains/evm-chain.js';

import type { RecordedEvmBlock } from '../../sandbox/recording/evm-recording.js';
import {
  advanceUntilDone,
  createEvmIndex,
  makeWriter,
  rangesOf,
  setTip,
  startEvmChain,
  TEST_CHAIN,
  type TestEvmIndex,
} from '../support/evm/evm-index.js';
import { onCleanup } from '../support/harness/cleanup.js';
import { createMigratedDatabase } from '../support/harness/database.js';
import { PATIENCE_MS } from '../support/harness/eventually.js';

const BLOCKS = 400;
const OTHER_MESSENGER = addressFor(77);
const METADATA_UPDATE = '0xf8e1a15aba9398e019f0b49df1a4fde98ee17ae345cb5f6b5e2c27f5033e8ce7';
const FACET = 'logs:messages';

/** Which heights a message is sent at; its number is its place in the list. */
const SENT_AT = [3, 40, 41, 120, 121, 122, 250, 390];
/** A token transferrer logs beside a message at the one height, and beside nothing of a messenger at the other. */
const [TRANSFERRED_AT, ALONE_AT] = [250, 260];
const MESSAGE_LOGS = SENT_AT.length + 1;

describe('watched logs', () => {
  let blocks: RecordedEvmBlock[];
  let expected: string[];

  beforeAll(async () => {
    blocks = Array.from({ length: BLOCKS }, (_, height) =>
      tracedBlock(
        rawBlock(height, transactionsOf(height)),
        transactionsOf(height).map(() => ({ type: 'CALL' })),
      ),
    );
    const database = await createMigratedDatabase();
    const node = await startEvmChain(blocks);
    await advanceUntilDone(createEvmIndex(database, [node.cChainUrl]).follower);
    expected = await logsOf(database);
  });

  const fill = async (
    database: DataSource,
    urls: readonly string[],
    chain: Partial<EvmChain> = {},
  ): Promise<TestEvmIndex> => {
    const index = createEvmIndex(database, urls, { chain });
    await advanceUntilDone(index.follower);
    for (const logs of index.logs) await advanceUntilDone(logs);
    return index;
  };

  it('come with the blocks at the tip, and no others do', () => {
    expect(expected).toHaveLength(MESSAGE_LOGS + 4);
    expect(expected.filter((log) => log.startsWith('messages ')).map(heightOf)).toEqual(
      [...SENT_AT, TRANSFERRED_AT].sort((a, b) => a - b),
    );
  });

  it('come with those of token transferrers in the same transactions, and with no others of theirs', () => {
    const topic = TRANSFERRER_TOPICS.tokensSent.slice(2);
    const ofTransferrers = expected.filter((log) => log.includes(topic));
    expect(ofTransferrers).toEqual([expect.stringContaining(`messages ${TRANSFERRED_AT} `)]);
    expect(ofTransferrers[0]).toContain(addressFor(8).slice(2));
  });

  it('are searched for when a set is added later, without reading the blocks again', async () => {
    const database = await createMigratedDatabase();
    const node = await startEvmChain(blocks);
    await advanceUntilDone(createEvmIndex(database, [node.cChainUrl], { chain: { watch: [] } }).follower);
    expect(await logsOf(database)).toEqual([]);
    const read = node.calls['eth_getBlockReceipts'];
    await fill(database, [node.cChainUrl]);
    expect(await logsOf(database)).toEqual(expected);
    expect(await rangesOf(database, FACET)).toEqual([`0-${BLOCKS - 1}`]);
    expect(node.calls['eth_getBlockReceipts']).toBe(read);
  });

  it.each([
    ['few blocks', { maxBlocks: 7 }],
    ['few logs', { maxLogs: 1 }],
  ])('are all found at a node that searches %s at once', async (_, limits) => {
    const database = await createMigratedDatabase();
    const node = await startEvmChain(blocks);
    node.setCChainBehaviour({ kind: 'logLimits', ...limits });
    await fill(database, [node.cChainUrl], { index: 'logs' });
    expect(await logsOf(database)).toEqual(expected);
  });

  it('are all that is read of a chain that is indexed for them only', async () => {
    const database = await createMigratedDatabase();
    const node = await startEvmChain(blocks);
    setTip(node, 200);
    const index = await fill(database, [node.cChainUrl], { index: 'logs', startHeight: 'tip' });
    setTip(node, BLOCKS - 1);
    await advanceUntilDone(index.follower);
    expect(await logsOf(database)).toEqual(
      expected.filter((log) => log.startsWith('messages ') || heightOf(log) >= 200),
    );
    expect(node.calls['eth_getBlockReceipts']).toBeUndefined();
    expect(await database.query('SELECT 1 FROM evm_blocks')).toEqual([]);
  });

  it('stay below the height to which a chain that is indexed for them only goes back', async () => {
    const database = await createMigratedDatabase();
    const node = await startEvmChain(blocks);
    const chain = { index: 'logs' } as const;
    const index = await fill(database, [node.cChainUrl], chain);
    const all = await logsOf(database);
    const client = EvmClient.connect({ urls: [node.cChainUrl], timeoutMs: PATIENCE_MS });
    onCleanup(() => client.close());
    const { signal } = new AbortController();
    const [header] = await client.getBlockHeaders({ heights: [199n], signal });
    await makeWriter(database).goBack(TEST_CHAIN, 200n, header);
    expect(await logsOf(database)).toEqual(all.filter((log) => heightOf(log) < 200));
    expect(await rangesOf(database, FACET)).toEqual(['0-199']);
    await advanceUntilDone(index.follower);
    expect(await logsOf(database)).toEqual(all);
  });

  it('are a set of their own for another messenger', async () => {
    const database = await createMigratedDatabase();
    const node = await startEvmChain(blocks);
    await fill(database, [node.cChainUrl], { messengers: [MESSENGER, OTHER_MESSENGER] });
    const others = (await logsOf(database)).filter((log) => !expected.includes(log));
    expect(others).toEqual([expect.stringContaining(`messages@${OTHER_MESSENGER} 60 `)]);
  });

  it('are put on record as missing where a node does not have them, and read from one that does', async () => {
    const database = await createMigratedDatabase();
    const node = await startEvmChain(blocks);
    node.setCChainBehaviour({ kind: 'stateSynced', fromHeight: 100 });
    const chain = { index: 'logs', startHeight: 'tip' } as const;
    await fill(database, [node.cChainUrl], chain);
    expect(await rangesOf(database, FACET)).toEqual(['0-99?', `100-${BLOCKS - 1}`]);
    await database.query(`UPDATE index_coverage SET checked_at = now() - interval '2 hours'`);
    const whole = await startEvmChain(blocks);
    const index = createEvmIndex(database, [node.cChainUrl, whole.cChainUrl], { chain });
    await expectRanges(index, database, [`0-${BLOCKS - 1}`]);
    expect((await logsOf(database)).filter((log) => log.startsWith('messages '))).toHaveLength(MESSAGE_LOGS);
  });

  it('are waited for while the node that is to search for them is late', async () => {
    const database = await createMigratedDatabase();
    const node = await startEvmChain(blocks);
    setTip(node, 200);
    const { follower } = createEvmIndex(database, [node.cChainUrl], { chain: { index: 'logs' } });
    await advanceUntilDone(follower);
    node.setCChainBehaviour({ kind: 'late', height: 250, gives: 249 });
    const signal = new AbortController().signal;
    await follower.advance({ durationMs: 100, signal, onProgress: () => undefined });
    expect(await rangesOf(database, FACET)).toEqual(['0-200']);
    setTip(node, 250);
    await advanceUntilDone(follower);
    expect(await rangesOf(database, FACET)).toEqual(['0-250']);
    expect(await logsOf(database)).toEqual(expected.filter((log) => heightOf(log) <= 250));
  });

  it('are missed by the numbers of the messages when a node leaves some out, and read from another one', async () => {
    const database = await createMigratedDatabase();
    const forgetful = await startEvmChain(blocks);
    forgetful.setCChainBehaviour({ kind: 'forgottenLogs', heights: [120, 121] });
    const whole = await startEvmChain(blocks);
    const index = await fill(database, [forgetful.cChainUrl, whole.cChainUrl], { index: 'logs' });
    await expectRanges(index, database, [`0-${BLOCKS - 1}`], () => hasAllMessages(database));
    expect(index.warnings).toContainEqual(expect.stringContaining('2 messages before number 6'));
    expect(await logsOf(database)).toEqual(expected);
  });

  it('are put on record as missing when no node has them', async () => {
    const database = await createMigratedDatabase();
    const node = await startEvmChain(blocks);
    node.setCChainBehaviour({ kind: 'forgottenLogs', heights: [120] });
    const index = await fill(database, [node.cChainUrl], { index: 'logs' });
    await expectRanges(index, database, ['0-40', '41-121?', `122-${BLOCKS - 1}`]);
  });

  it('are not believed when the receipts differ', async () => {
    const database = await createMigratedDatabase();
    const node = await startEvmChain(blocks);
    node.setCChainBehaviour({ kind: 'inventedLogs' });
    await expect(fill(database, [node.cChainUrl], { index: 'logs' })).rejects.toThrow(
      'not the one in its receipt',
    );
    expect(await logsOf(database)).toEqual([]);
  });

  async function expectRanges(
    { logs: [messages] }: TestEvmIndex,
    database: DataSource,
    ranges: readonly string[],
    isDone: () => Promise<boolean> = () => Promise.resolve(true),
  ): Promise<void> {
    if (messages === undefined) throw new Error('no messages are watched');
    const signal = AbortSignal.timeout(PATIENCE_MS);
    while (!signal.aborted) {
      await messages.advance({ durationMs: 50, signal, onProgress: () => undefined });
      const found = await rangesOf(database, FACET);
      if (JSON.stringify(found) === JSON.stringify(ranges) && (await isDone())) return;
    }
    expect(await rangesOf(database, FACET)).toEqual(ranges);
  }

  async function hasAllMessages(database: DataSource): Promise<boolean> {
    const messages = (await logsOf(database)).filter((log) => log.startsWith('messages '));
    return messages.length === MESSAGE_LOGS;
  }
});

function transactionsOf(height: number) {
  const logs: RawLog[] = [];
  const number = SENT_AT.indexOf(height) + 1;
  if (number > 0) logs.push(sent(MESSENGER, number));
  if (height === TRANSFERRED_AT || height === ALONE_AT) logs.push(transferred(number));
  if (height === 60) logs.push(sent(OTHER_MESSENGER, 1));
  if (height % 100 === 50) logs.push({ address: addressFor(9), topics: [METADATA_UPDATE], data: word(5) });
  if (height % 3 === 0) logs.push({ address: addressFor(9), topics: [word(1), word(2)], data: '0x' });
  return logs.length === 0 ? [] : [{ logs, gasUsed: 50_000n }];
}

/** The beginning of what a messenger logs: where the message stands, the fee, and the message's number. */
function sent(address: Hex, number: number): RawLog {
  const data: Hex = `0x${[word(96), word(0), word(0), word(number)].map((hex) => hex.slice(2)).join('')}`;
  return { address, topics: [MESSENGER_TOPICS.sent, word(number), word(7)], data };
}

function transferred(number: number): RawLog {
  return {
    address: addressFor(8),
    topics: [TRANSFERRER_TOPICS.tokensSent, word(number), word(3)],
    data: '0x',
  };
}

function word(value: number): Hex {
  return padHex(numberToHex(value), { size: 32 });
}

function heightOf(log: string): number {
  return Number(log.split(' ')[1]);
}

async function logsOf(database: DataSource): Promise<string[]> {
  const rows = await database.query<{ log: string }[]>(
    `SELECT log_set || ' ' || height || ' ' || log_index || ' ' || tx_index || ' ' || block_time || ' ' ||
       encode(tx_hash, 'hex') || ' ' || encode(address, 'hex') || ' ' || array_to_string(topics, ',') || ' ' ||
       encode(data, 'hex') || ' ' || fee AS log
     FROM evm_logs WHERE chain_key = $1 ORDER BY log_set, height, log_index`,
    [evmChainKey(TEST_CHAIN)],
  );
  return rows.map(({ log }) => log);
}
