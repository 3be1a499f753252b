import { beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import type { Hash } from '../../src/avalanche/evm/rpc/hex-values.js';
import { addressFor, hashFor } from '../../sandbox/generated/evm-block.js';
import { Database } from '../../src/platform/database/database.js';
import { MESSENGER } from '../../src/platform/evm-chains/evm-chain.js';
import { MAX_HEIGHT } from '../../src/indexes/engine/coverage/height-range.js';
import { facetNamed } from '../../src/indexes/evm/facets/facets.js';
import { logBatch } from '../../src/indexes/evm/rows/log-rows.js';
import type { WatchedLog } from '../../src/indexes/evm/projections/watched-log.js';
import { logSetsOf } from '../../src/indexes/evm/sources/logs/log-sets.js';
import type { Projection } from '../../src/indexes/evm/projections/projection.js';
import { ChainChanges } from '../../src/indexes/evm/rows/chain-changes.js';
import { Projector } from '../../src/indexes/evm/projections/projector.js';
import { advanceUntilDone, makeWriter, standAt, TEST_CHAIN } from '../support/evm/evm-index.js';
import { createMigratedDatabase } from '../support/harness/database.js';
import { waitForLock } from '../support/harness/wait-for-lock.js';

const OTHER_MESSENGER = addressFor(77);
const CHAIN = { ...TEST_CHAIN, messengers: [MESSENGER, OTHER_MESSENGER] };

describe('a projection of watched logs', () => {
  let dataSource: DataSource;

  beforeEach(async () => {
    dataSource = await createMigratedDatabase();
    await dataSource.query('CREATE TABLE heights (height bigint)');
    await standAt(dataSource, CHAIN, 2_999);
  });

  /** Keeps the heights of the logs that it is given, so that a log that comes twice is seen. */
  const heights = (version = 1): Projection => ({
    name: 'heights',
    version,
    logSet: 'messages',
    clear: async (transaction) => {
      const text = 'DELETE FROM heights WHERE ctid IN (SELECT ctid FROM heights LIMIT 2)';
      return (await transaction.execute({ text, values: [] })) === 0;
    },
    apply: async (transaction, _chain, logs) => {
      await transaction.execute({
        text: 'INSERT INTO heights SELECT unnest($1::bigint[])',
        values: [logs.map(({ height }) => height)],
      });
    },
  });

  const project = async (projection = heights()): Promise<number[]> => {
    await advanceUntilDone(
      new Projector(CHAIN, new Database(dataSource), [projection], new ChainChanges(), 10),
    );
    const rows = await dataSource.query<{ height: string }[]>('SELECT height FROM heights');
    return rows.map(({ height }) => Number(height));
  };

  const write = async (
    from: number,
    to: number,
    logs: readonly number[],
    set = 'messages',
  ): Promise<void> => {
    const found = logSetsOf(CHAIN).find(({ name }) => name === set);
    if (found === undefined) throw new Error(`no set ${set}`);
    const range = { from: BigInt(from), to: BigInt(to) };
    await makeWriter(dataSource).write({
      chain: CHAIN,
      facets: [
        logBatch(
          found,
          range,
          logs.map((height) => log(height)),
        ),
      ],
    });
  };

  /** Of one transaction that has some. */
  const addLogs = async (count: number): Promise<void> => {
    await dataSource.query(
      `INSERT INTO evm_logs (chain_key, log_set, height, log_index, tx_index, block_time, tx_hash, address, topics, data, fee)
       SELECT chain_key, log_set, height, log_index + more, tx_index, block_time, tx_hash, address, topics, data, fee
         FROM evm_logs, generate_series(1, ${count}) AS more`,
    );
  };

  it('is given each log once, in the order in which they came', async () => {
    await write(100, 199, [120, 150]);
    expect(await project()).toEqual([120, 150]);
    await write(0, 99, [7]);
    await write(150, 250, [150, 240]); // comes again with a batch that overlaps
    expect(await project()).toEqual([120, 150, 7, 240]);
  });

  it('is made of all sets of its kind, and of no other', async () => {
    await write(0, 9, [1]);
    await write(0, 9, [2], `messages@${OTHER_MESSENGER}`);
    await write(0, 9, [3], 'tokens');
    expect(await project()).toEqual([1, 2]);
  });

  it('is made of more logs than go in at once', async () => {
    const many = Array.from({ length: 2_500 }, (_, height) => height);
    await write(0, 2_499, many);
    expect(await project()).toEqual(many);
  });

  it('is made anew when its version rises', async () => {
    await write(0, 99, [7, 8]);
    await project();
    await dataSource.query('UPDATE heights SET height = -1');
    expect(await project()).toEqual([-1, -1]);
    expect(await project(heights(2))).toEqual([7, 8]);
  });

  it('is made anew when logs are forgotten', async () => {
    await write(0, 99, [7, 8]);
    await project();
    const facet = facetNamed(CHAIN, 'logs:messages');
    await makeWriter(dataSource).renew(CHAIN, facet, { from: 8n, to: 99n });
    expect(await project()).toEqual([7]);
    await write(8, 99, [9]);
    expect(await project()).toEqual([7, 9]);
  });

  it('is given what others write while logs are forgotten, or has it read again', async () => {
    await write(0, 99, [7]);
    await addLogs(20_000); // more than go at once
    const facet = facetNamed(CHAIN, 'logs:messages');
    const working: Promise<void>[] = [];
    const holder = dataSource.createQueryRunner();
    await holder.startTransaction();
    try {
      await holder.query('SELECT 1 FROM evm_logs FOR UPDATE');
      working.push(makeWriter(dataSource).renew(CHAIN, facet, { from: 0n, to: MAX_HEIGHT }));
      await waitForLock(dataSource, ...working);
      working.push(write(100, 199, [105]));
      await waitForLock(dataSource, ...working);
    } finally {
      await holder.rollbackTransaction();
      await holder.release();
    }
    await Promise.all(working);
    await write(100, 199, [105]); // only heights that are not covered
    expect(await project()).toEqual([105]);
  });

  it('is made anew when it is asked to be while it is made', async () => {
    await write(0, 99, [7, 8]);
    const database = new Database(dataSource);
    const projectorOf = (projection: Projection) =>
      new Projector(CHAIN, database, [projection], new ChainChanges(), 10);
    let resetting: Promise<void> | undefined;
    const spoiling: Projection = {
      ...heights(),
      apply: async (transaction) => {
        await transaction.execute({ text: 'INSERT INTO heights VALUES (-1)', values: [] });
        resetting ??= projectorOf(heights()).reset();
        await waitForLock(dataSource, resetting);
      },
    };
    await projectorOf(spoiling).advance({
      durationMs: 0,
      signal: new AbortController().signal,
      onProgress: () => undefined,
    });
    await resetting;
    expect(await project()).toEqual([7, 8]);
  });

  it('is empty when its chain is forgotten', async () => {
    await write(0, 99, [7, 8]);
    await project();
    await makeWriter(dataSource).goBack(CHAIN, 0n);
    expect(await project()).toEqual([]);
  });

  it('takes nothing in when it fails at a log, and all of it later', async () => {
    await write(0, 99, [7, 8]);
    const failing: Projection = {
      ...heights(),
      apply: async (transaction, chain, logs) => {
        await heights().apply(transaction, chain, logs);
        throw new Error('a log that nobody expected');
      },
    };
    await expect(project(failing)).rejects.toThrow('a log that nobody expected');
    expect(await dataSource.query('SELECT * FROM heights')).toEqual([]);
    expect(await project()).toEqual([7, 8]);
  });

  it('is given each log once when two processes make it at the same time', async () => {
    const many = Array.from({ length: 3_000 }, (_, height) => height);
    await write(0, 2_999, many);
    await Promise.all([project(), project(), project()]);
    expect(await project()).toEqual(many);
  });
});

function log(height: number): WatchedLog {
  const topic: Hash = hashFor(1);
  return {
    height: BigInt(height),
    logIndex: 0,
    txIndex: 0,
    blockTime: 1_700_000_000 + height,
    txHash: hashFor(height),
    address: MESSENGER,
    topics: [topic],
    data: '0x',
    fee: 1n,
  };
}
