import { beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { NonceWatch } from '../../src/indexes/evm/sources/logs/message-nonces.js';
import { insertLogs } from '../../src/indexes/evm/rows/log-rows.js';
import { logSetsOf } from '../../src/indexes/evm/sources/logs/log-sets.js';
import type { WatchedLog } from '../../src/indexes/evm/projections/watched-log.js';
import { evmChainKey } from '../../src/platform/database/chains.js';
import { Database, type Queryable, type Statement } from '../../src/platform/database/database.js';
import { TEST_CHAIN } from '../support/evm/evm-index.js';
import { messengerChain, receivedLog, sentLog } from '../support/evm/messenger-logs.js';
import { createMigratedDatabase } from '../support/harness/database.js';

const { signal } = new AbortController();
const ADDRESS = '0x00000000000000000000000000000000000000aa';
const [OURS, OTHER] = [messengerChain('fuji', TEST_CHAIN.chainId), messengerChain('fuji', 2n)];

describe(NonceWatch.name, () => {
  let dataSource: DataSource;
  let database: Database;
  let watch: NonceWatch;
  const [set] = logSetsOf(TEST_CHAIN);
  if (set === undefined) throw new Error('nothing is watched');

  beforeEach(async () => {
    dataSource = await createMigratedDatabase();
    database = new Database(dataSource);
    watch = new NonceWatch(TEST_CHAIN, set, 7);
  });

  /** Each at the height of its number, unless given. */
  const sent = (nonce: number | bigint, height = Number(nonce)): WatchedLog =>
    sentLog(
      { source: OURS, destination: OTHER, nonce: BigInt(nonce), from: ADDRESS, to: ADDRESS },
      { height: BigInt(height) },
    );
  const received = (number: number): WatchedLog =>
    receivedLog(
      { source: OTHER, destination: OURS, nonce: BigInt(number), from: ADDRESS, to: ADDRESS },
      { height: BigInt(number), logIndex: 1 },
    );
  const put = (logs: readonly WatchedLog[]): Promise<void> =>
    database.transaction((transaction) => insertLogs(transaction, TEST_CHAIN, set, logs));

  /** The gaps' blocks, and how many rows of logs were read besides the newest one. */
  const look = async (): Promise<{ gaps: string[]; rows: number }> => {
    return database.transaction(async (transaction) => {
      // As for a table of a million rows; this one is a page.
      for (const plan of ['seqscan', 'bitmapscan', 'sort']) {
        await transaction.execute({ text: `SET LOCAL enable_${plan} = off`, values: [] });
      }
      const read = async (): Promise<number> => {
        const [row] = await transaction.query<{ rows: string }>({
          text: "SELECT seq_tup_read + idx_tup_fetch AS rows FROM pg_stat_xact_user_tables WHERE relname = 'evm_logs'",
          values: [],
        });
        return Number(row?.rows);
      };
      const before = await read();
      const gaps = await watch.findGaps(transaction, signal);
      const rows = Math.max(0, (await read()) - before - 1);
      return { gaps: gaps.map(({ range: { from, to } }) => `${from}-${to}`), rows };
    });
  };

  it('reads each log once, also while messages are missing', async () => {
    const numbers = Array.from({ length: 50 }, (_, index) => index + 1);
    await put(numbers.filter((number) => number !== 20).map((number) => sent(number)));
    expect(await look()).toEqual({ gaps: ['19-21'], rows: 49 });
    expect(await look()).toEqual({ gaps: ['19-21'], rows: 0 });
    await put([sent(51), sent(53)]);
    expect(await look()).toEqual({ gaps: ['19-21', '51-53'], rows: 2 });
    expect(await look()).toEqual({ gaps: ['19-21', '51-53'], rows: 0 });
  });

  it('reads nothing twice on a chain that only receives', async () => {
    await put(Array.from({ length: 30 }, (_, index) => received(index + 1)));
    expect(await look()).toEqual({ gaps: [], rows: 30 });
    expect(await look()).toEqual({ gaps: [], rows: 0 });
  });

  it('notices that a gap is smaller, and that it is closed', async () => {
    await put([sent(9), sent(10)]);
    expect((await look()).gaps).toEqual(['0-9']);
    await put([sent(1), sent(2), sent(5)]);
    expect((await look()).gaps).toEqual(['2-5', '5-9']);
    await put([sent(6), sent(7), sent(8)]);
    expect((await look()).gaps).toEqual(['2-5']);
    await put([sent(3), sent(4)]);
    expect(await look()).toEqual({ gaps: [], rows: 2 });
  });

  it('takes a message that was sent again for sent at its first time', async () => {
    await put([sent(1), sent(2, 30), sent(5)]);
    expect((await look()).gaps).toEqual(['5-30']);
    await put([sent(2)]);
    expect((await look()).gaps).toEqual(['2-5']);
    await put([sent(2, 40)]);
    expect((await look()).gaps).toEqual(['2-5']);
  });

  it('gives up the lowest gaps when there are too many', async () => {
    await put(Array.from({ length: 1_500 }, (_, index) => sent(2 * index + 2)));
    const { gaps } = await look();
    expect([gaps.length, gaps.at(-1)]).toEqual([999, '2998-3000']);
    await put([sent(2_999)]);
    expect((await look()).gaps).toHaveLength(998);
  });

  it('leaves out a number that has no next one', async () => {
    await put([sent(1), sent(2n ** 63n - 1n, 2)]);
    expect((await look()).gaps).toEqual([]);
    await put([sent(2n ** 63n - 2n, 3)]);
    expect((await look()).gaps).toEqual(['1-3']);
  });

  it('ends when the rows go while it reads them', async () => {
    await put(Array.from({ length: 20 }, (_, index) => sent(index + 1)));
    let reads = 0;
    const wiping = {
      query: async (statement: Statement) => {
        if (++reads > 100) throw new Error('it reads on and on');
        const rows = await database.query(statement);
        if (reads === 2) await dataSource.query('DELETE FROM evm_logs WHERE height > 7');
        return rows;
      },
    } as unknown as Queryable;
    expect(await watch.findGaps(wiping, signal)).toEqual([]);
    await put([sent(9)]);
    expect((await look()).gaps).toEqual(['7-9']);
  });

  it('reads all again when the rows are gone', async () => {
    await put([sent(1), sent(2)]);
    await look();
    await dataSource.query('DELETE FROM evm_logs WHERE chain_key = $1', [evmChainKey(TEST_CHAIN)]);
    expect((await look()).gaps).toEqual([]);
    await put([sent(2)]);
    expect((await look()).gaps).toEqual(['0-2']);
  });
});
