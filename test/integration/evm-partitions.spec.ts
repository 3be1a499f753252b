import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { EvmClient } from '../../src/avalanche/evm/rpc/evm-client.js';
import { readMovements } from '../../src/avalanche/evm/transfers/movement-reader.js';
import { addressFor } from '../../sandbox/generated/evm-block.js';
import { Database, type Transaction } from '../../src/platform/database/database.js';
import { batchesOf } from '../../src/indexes/evm/rows/base-rows.js';
import type { EvmWriter } from '../../src/indexes/evm/rows/evm-writer.js';
import { EvmPartitions } from '../../src/indexes/evm/rows/partitions.js';
import { MOVEMENT_QUERY_SETTINGS, movementQuery } from '../../src/exports/rows/movement-query.js';
import { eventually } from '../support/harness/eventually.js';
import { generateEvmChain } from '../../sandbox/generated/evm-chain-generator.js';
import type { RecordedEvmBlock } from '../../sandbox/recording/evm-recording.js';
import {
  advanceToEnd,
  advanceUntilDone,
  createEvmIndex,
  digestEvmTables,
  makeWriter,
  rangesOf,
  startEvmChain,
  TEST_CHAIN,
} from '../support/evm/evm-index.js';
import { advanceBriefly } from '../support/indexer.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { createMigratedDatabase } from '../support/harness/database.js';

const BLOCKS = 300;
const WIDTH = 64;
/** Of the partitions that an export reads by address. */
const ADDRESS_INDEXES = 8;

/** As wide as the test's chain needs them. */
class SmallPartitions extends EvmPartitions {
  protected override readonly size = { rows: 1, maxBlocks: WIDTH, minBlocks: WIDTH };
}

/** Ends whoever uses it after so many transactions. */
class EndingDatabase extends Database {
  constructor(
    dataSource: DataSource,
    private left: number,
    private readonly ending: AbortController,
  ) {
    super(dataSource);
  }

  override async transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const result = await super.transaction(work);
    if (--this.left === 0) this.ending.abort(new Error('ended'));
    return result;
  }
}

describe('the partitions of an EVM chain', () => {
  let blocks: RecordedEvmBlock[];
  let expected: Record<string, string>;
  let node: Sandbox;
  let database: DataSource;
  let writer: EvmWriter;

  beforeAll(async () => {
    blocks = generateEvmChain({ blocks: BLOCKS });
    node = await startEvmChain(blocks);
    const whole = await createMigratedDatabase();
    await advanceToEnd(createEvmIndex(whole, [node.cChainUrl], { chain: { traces: 'off' } }));
    expected = await digestEvmTables(whole);
  });

  beforeEach(async () => {
    database = await createMigratedDatabase();
    writer = makeWriter(database, SmallPartitions);
  });

  /** The tip first, then all beneath it. */
  const fill = async (): Promise<void> => {
    const options = { writer, batchBlocks: 20 };
    const chain = { traces: 'off' } as const;
    const atTip = { ...chain, startHeight: 'tip' } as const;
    await advanceUntilDone(createEvmIndex(database, [node.cChainUrl], { ...options, chain: atTip }).follower);
    await advanceUntilDone(createEvmIndex(database, [node.cChainUrl], { ...options, chain }).base);
  };

  /** Where partitions begin, each with how many indexes of addresses it has. */
  const partitions = async (): Promise<Record<string, number>> => {
    const rows = await database.query<{ from: string; indexes: number }[]>(
      `SELECT substring(tree.relid::text FROM '[0-9]+$') AS from,
         (SELECT count(*)::int FROM pg_index JOIN pg_class ON oid = indexrelid
           WHERE relname ~ ('_' || substring(tree.relid::text FROM '[0-9]+$') || '_\\w*(address|fee_recipient)')) AS indexes
       FROM pg_partition_tree('evm_blocks') AS tree WHERE tree.isleaf`,
    );
    return Object.fromEntries(rows.map(({ from, indexes }) => [from, indexes]));
  };

  it('are made as blocks come, also by two workers at once', async () => {
    const [one, two] = [new EvmPartitions(new Database(database)), new EvmPartitions(new Database(database))];
    const chain = { network: 'mainnet', chainId: 7n } as const;
    const heights = { from: 1_048_570n, to: 1_048_580n };
    await Promise.all([one.ensure(chain, heights, 1), two.ensure(chain, heights, 1)]);
    await two.ensure(chain, heights, 1);
    const rows = await database.query<{ name: string }[]>(
      `SELECT relid::text AS name FROM pg_partition_tree('evm_blocks') WHERE isleaf ORDER BY 1`,
    );
    expect(rows.map(({ name }) => name)).toEqual(['evm_blocks_7_0', 'evm_blocks_7_1048576']);
    const indexes = await database.query<{ indexdef: string }[]>(
      `SELECT indexdef FROM pg_indexes WHERE tablename = 'evm_transfers_7_1048576' ORDER BY 1`,
    );
    expect(indexes.map(({ indexdef }) => /\(.*\)$/.exec(indexdef)?.[0])).toEqual([
      '(from_address, height)',
      '(to_address, height)',
      '(chain_key, height, "position")',
    ]);
  });

  describe('when older blocks fill them', () => {
    const range = { from: 0n, to: 10n };

    it('get their indexes of addresses when they are full, all but the one that still fills', async () => {
      const own = new SmallPartitions(new Database(database));
      await own.ensure(TEST_CHAIN, { from: 0n, to: 100n }, 1, 'backfill');
      await own.ensure(TEST_CHAIN, { from: 250n, to: 250n }, 1, 'tip');
      expect(await partitions()).toEqual({ 0: 0, 64: 0, 250: ADDRESS_INDEXES });
      const { signal } = new AbortController();
      await own.makeIndexes(TEST_CHAIN, 63n, signal);
      expect(await partitions()).toEqual({ 0: 0, 64: ADDRESS_INDEXES, 250: ADDRESS_INDEXES });
      await own.makeIndexes(TEST_CHAIN, undefined, signal);
      expect(await partitions()).toEqual({ 0: ADDRESS_INDEXES, 64: ADDRESS_INDEXES, 250: ADDRESS_INDEXES });
    });

    it('get what is missing of them from the next process after one that died', async () => {
      await new SmallPartitions(new Database(database)).ensure(TEST_CHAIN, range, 1, 'backfill');
      const ending = new AbortController();
      const dying = new SmallPartitions(new EndingDatabase(database, 3, ending));
      await expect(dying.makeIndexes(TEST_CHAIN, undefined, ending.signal)).rejects.toThrow('ended');
      expect(await partitions()).toEqual({ 0: 3 });
      const { signal } = new AbortController();
      const makeRest = (): Promise<void> =>
        new SmallPartitions(new Database(database)).makeIndexes(TEST_CHAIN, undefined, signal);
      await Promise.all([makeRest(), makeRest()]);
      expect(await partitions()).toEqual({ 0: ADDRESS_INDEXES });
    });

    it('have the same rows as a chain that was read upwards, and all indexes in the end', async () => {
      await fill();
      const base = createEvmIndex(database, [node.cChainUrl], { writer, chain: { traces: 'off' } }).base;
      await eventually('every partition has its indexes', async () => {
        await advanceBriefly(base, 50);
        return Object.values(await partitions()).every((count) => count === ADDRESS_INDEXES);
      });
      expect(Object.keys(await partitions())).toEqual(['0', '64', '128', '192', '256', '299']);
      expect(await digestEvmTables(database)).toEqual(expected);
    });

    it('give an export the same rows by height as they do later by address', async () => {
      await fill();
      const { signal } = new AbortController();
      const query = movementQuery({
        chain: TEST_CHAIN,
        avaxAssetId: undefined,
        addresses: [addressFor(1), addressFor(2)],
        fromHeight: 0n,
        toHeight: BigInt(BLOCKS),
      });
      const read = (text: string): Promise<unknown[]> =>
        database.transaction(async (manager) => {
          for (const [name, value] of Object.entries(MOVEMENT_QUERY_SETTINGS)) {
            await manager.query('SELECT set_config($1, $2, true)', [name, value]);
          }
          return manager.query(text);
        });
      expect((await partitions())[0]).toBe(0);
      expect(JSON.stringify(await read(`EXPLAIN ${query}`))).not.toContain('Seq Scan on evm_t');
      const byHeight = await read(query);
      await writer.makeIndexes(TEST_CHAIN, undefined, signal);
      expect(byHeight.length).toBeGreaterThan(10);
      expect(await read(query)).toEqual(byHeight);
    });
  });

  describe('when some days of a chain are kept', () => {
    beforeEach(async () => {
      await fill();
      // An hour a block: the last 120 are younger than five days.
      await database.query(
        `UPDATE evm_blocks SET block_time = extract(epoch FROM now())::bigint - 1800 - (${BLOCKS - 1} - height) * 3600`,
      );
    });

    const retain = (keepDays?: number): Promise<boolean> => writer.retain(TEST_CHAIN, keepDays);

    it('are dropped when all of their blocks are older, and not filled in again', async () => {
      expect(await retain(5)).toBe(true);
      expect(Object.keys(await partitions())).toEqual(['128', '192', '256', '299']);
      expect(await rangesOf(database)).toEqual(['0-127x', '128-299']);
      const [counts] = await database.query<{ lowest: string; others: number }[]>(
        `SELECT (SELECT min(height) FROM evm_transactions) AS lowest,
           (SELECT count(*)::int FROM pg_class WHERE relname ~ '_(0|64)$' AND relkind = 'r') AS others`,
      );
      expect(Number(counts?.lowest)).toBeGreaterThanOrEqual(128);
      expect(counts?.others).toBe(0);

      const { base } = createEvmIndex(database, [node.cChainUrl], {
        writer,
        chain: { traces: 'off', keepDays: 5 },
      });
      await advanceBriefly(base);
      expect(await rangesOf(database)).toEqual(['0-127x', '128-299']);
      expect(await retain(5)).toBe(false);
    });

    it('take nothing of a batch that was read before', async () => {
      await retain(5);
      const client = EvmClient.connect({ urls: [node.cChainUrl], timeoutMs: 5_000 });
      const read = await readMovements({ client, traces: 'off', fromHeight: 120n, toHeight: 130n });
      client.close();
      await writer.write({ chain: TEST_CHAIN, facets: batchesOf(TEST_CHAIN, read) });
      expect(await rangesOf(database)).toEqual(['0-127x', '128-299']);
      const rows: unknown = await database.query('SELECT 1 FROM evm_blocks WHERE height < 128');
      expect(rows).toEqual([]);
    });

    it('are read no more once they are to go, and are dropped when the last export has ended', async () => {
      const reading = database.createQueryRunner();
      await reading.startTransaction();
      try {
        await reading.query('SELECT count(*) FROM evm_transactions WHERE height < 64');
        await retain(5);
        expect(await rangesOf(database)).toEqual(['0-127x', '128-299']);
        expect(Object.keys(await partitions())).toContain('0');
      } finally {
        await reading.rollbackTransaction();
        await reading.release();
      }
      await retain(5);
      expect(Object.keys(await partitions())).toEqual(['128', '192', '256', '299']);
    });

    it.each([100, undefined])('come back when more is kept: %p days', async (keepDays) => {
      await retain(5);
      expect(await retain(keepDays)).toBe(true);
      expect(await rangesOf(database)).toEqual(['128-299']);
      await advanceUntilDone(
        createEvmIndex(database, [node.cChainUrl], { writer, chain: { traces: 'off' } }).base,
      );
      expect(await rangesOf(database)).toEqual(['0-299']);
    });

    it('are made again by a process that does not know that another one has dropped them', async () => {
      await writer.makeIndexes(TEST_CHAIN, undefined, new AbortController().signal); // now it knows them all
      const other = makeWriter(database, SmallPartitions);
      await other.retain(TEST_CHAIN, 5);
      await other.retain(TEST_CHAIN, undefined);
      const client = EvmClient.connect({ urls: [node.cChainUrl], timeoutMs: 5_000 });
      const read = await readMovements({ client, traces: 'off', fromHeight: 100n, toHeight: 127n });
      client.close();
      const batch = { chain: TEST_CHAIN, facets: batchesOf(TEST_CHAIN, read) };
      await expect(writer.write(batch)).rejects.toMatchObject({ code: '23514' });
      await writer.write(batch);
      expect(await rangesOf(database)).toEqual(['100-299']);
    });

    it('stay when no block is old enough', async () => {
      expect(await retain(100)).toBe(false);
      expect(await rangesOf(database)).toEqual(['0-299']);
    });
  });
});
