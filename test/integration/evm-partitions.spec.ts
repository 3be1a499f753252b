import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { EvmClient } from '../../src/avalanche/evm/rpc/evm-client.js';
import { readMovements } from '../../src/avalanche/evm/transfers/movement-reader.js';
import { Database } from '../../src/platform/database/database.js';
import { MAX_HEIGHT } from '../../src/indexes/engine/coverage/height-range.js';
import { BASE } from '../../src/indexes/evm/facets/facets.js';
import { batchesOf } from '../../src/indexes/evm/rows/base-rows.js';
import type { Indexer } from '../../src/indexes/engine/following/indexer.js';
import type { EvmBatch, EvmWriter } from '../../src/indexes/evm/rows/evm-writer.js';
import { EvmBuilds } from '../../src/indexes/evm/rows/builds.js';
import { EvmPartitions, TablesBusyError } from '../../src/indexes/evm/rows/partitions.js';
import { eventually, PATIENCE_MS } from '../support/harness/eventually.js';
import { generateEvmChain } from '../../sandbox/generated/evm-chain-generator.js';
import type { RecordedEvmBlock } from '../../sandbox/recording/evm-recording.js';
import {
  advanceToEnd,
  advanceUntilDone,
  createEvmIndex,
  digestEvmTables,
  makeWriter,
  rangesOf,
  setTip,
  startEvmChain,
  TEST_CHAIN,
} from '../support/evm/evm-index.js';
import { advanceBriefly } from '../support/indexer.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { createMigratedDatabase } from '../support/harness/database.js';
import { NODE_PATIENCE_MS } from '../support/node-patience.js';

const BLOCKS = 300;
const WIDTH = 64;
/** Of the partitions that an export reads by address. */
const ADDRESS_INDEXES = 7;

/** As wide as the test's chain needs them. */
class SmallPartitions extends EvmPartitions {
  protected override readonly size = { rows: 1, maxBlocks: WIDTH, minBlocks: WIDTH };
}

const OPTIONS = { partitions: SmallPartitions, batchBlocks: 20 };

/** Ends whoever uses it after so many transactions. */
class EndingDatabase extends Database {
  constructor(
    dataSource: DataSource,
    private left: number,
    private readonly ending: AbortController,
  ) {
    super(dataSource);
  }

  override async transaction<T>(...args: Parameters<Database['transaction']>): Promise<T> {
    const result = (await super.transaction(...args)) as T;
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

  const followTip = async (): Promise<void> => {
    const chain = { traces: 'off', startHeight: 'tip' } as const;
    await advanceUntilDone(createEvmIndex(database, [node.cChainUrl], { ...OPTIONS, chain }).follower);
  };

  const batchOf = async (fromHeight: bigint, toHeight: bigint): Promise<EvmBatch> => {
    const client = EvmClient.connect({ urls: [node.cChainUrl], timeoutMs: NODE_PATIENCE_MS });
    const read = await readMovements({ client, traces: 'off', fromHeight, toHeight });
    client.close();
    return { chain: TEST_CHAIN, facets: batchesOf(TEST_CHAIN, read) };
  };

  /** Facets that are read by themselves, as far as the blocks did not bring them. */
  const fillOthers = async (): Promise<void> => {
    const { atomic, logs } = createEvmIndex(database, [node.cChainUrl], OPTIONS);
    for (const indexer of [atomic, ...logs]) await advanceUntilDone(indexer);
  };

  /** The tip first, then all beneath it. */
  const fill = async (): Promise<void> => {
    await followTip();
    const chain = { traces: 'off' } as const;
    await advanceUntilDone(createEvmIndex(database, [node.cChainUrl], { ...OPTIONS, chain }).base);
    await fillOthers();
  };

  /** Where partitions begin, each with how many indexes of addresses it has. */
  const partitions = async (): Promise<Record<string, number>> => {
    const rows = await database.query<{ from: string; indexes: number }[]>(
      `SELECT bounds[1] AS from, sum((SELECT count(*) FROM pg_index WHERE indrelid = class.oid
           AND pg_get_indexdef(indexrelid) ~ '(\\w*address|fee_recipient), 17'))::int AS indexes
         FROM unnest(ARRAY['evm_blocks', 'evm_transactions', 'evm_transfers', 'evm_internal_transfers']) AS root,
           pg_partition_tree(root::regclass) AS tree JOIN pg_class AS class ON class.oid = tree.relid AND tree.isleaf
           CROSS JOIN regexp_match(pg_get_expr(class.relpartbound, class.oid), '\\(''(\\d+)''\\) TO') AS bounds
        WHERE bounds IS NOT NULL GROUP BY 1`,
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
      `(height) WITH (fillfactor='100')`,
      `(((substr(from_address, 17))::integer), (((height >> 12))::integer)) WITH (fillfactor='100')`,
      `(((substr(to_address, 17))::integer), (((height >> 12))::integer)) WITH (fillfactor='100')`,
    ]);
  });

  describe('when older blocks are made beside them', () => {
    const chain = { traces: 'off' } as const;
    const open = () => createEvmIndex(database, [node.cChainUrl], { ...OPTIONS, chain });

    const expectWhole = async (): Promise<void> => {
      expect(await digestEvmTables(database)).toEqual(expected);
      expect(await database.query('SELECT * FROM evm_builds')).toEqual([]);
      const [left] = await database.query<{ tables: number }[]>(
        `SELECT count(*)::int AS tables FROM pg_class
          WHERE relname ~ '^evm_\\w+_[0-9]+_[0-9]+' AND relkind = 'r' AND NOT relispartition`,
      );
      expect(left?.tables).toBe(0);
    };

    it('have the same rows as a chain that was read upwards, and all indexes', async () => {
      await fill();
      expect(await partitions()).toEqual(
        Object.fromEntries([0, 64, 128, 192, 256, 299].map((from) => [from, ADDRESS_INDEXES])),
      );
      await expectWhole();
    });

    it('are made by several workers, each its own', async () => {
      await followTip();
      const index = open();
      const helpers = [index.makeHelper(), index.makeHelper()];
      const work = (indexer: Indexer): Promise<unknown> =>
        indexer.advance({
          durationMs: PATIENCE_MS,
          signal: new AbortController().signal,
          onProgress: () => undefined,
        });
      const working = Promise.all(helpers.map(work));
      await advanceUntilDone(index.base);
      await working;
      await fillOthers();
      await expectWhole();
    });

    it('are seen only when they are whole and proved from the tip downwards', async () => {
      await followTip();
      const seen = new Set<string>();
      const index = open();
      await Promise.all([
        advanceUntilDone(index.base).then(() => seen.add('done')),
        (async () => {
          while (!seen.has('done')) {
            for (const range of await rangesOf(database)) seen.add(range);
            await new Promise(setImmediate);
          }
        })(),
      ]);
      seen.delete('done');
      const starts = new Set([...seen].map((range) => range.split('-')[0]));
      expect([...starts].every((from) => ['0', '64', '128', '192', '256', '299'].includes(from!))).toBe(true);
      expect([...seen].every((range) => range.endsWith(`-${BLOCKS - 1}`))).toBe(true);
    });

    it('are gone on with by the next worker after one that died, at every moment', async () => {
      await followTip();
      for (let transactions = 1; (await rangesOf(database)).join() !== `0-${BLOCKS - 1}`; transactions++) {
        const ending = new AbortController();
        const ended = new EndingDatabase(database, transactions, ending);
        const dying = createEvmIndex(database, [node.cChainUrl], { ...OPTIONS, chain, database: ended });
        await dying.base
          .advance({ durationMs: 2_000, signal: ending.signal, onProgress: () => undefined })
          .catch(() => undefined);
        await database.query('UPDATE evm_builds SET expires_at = now()');
      }
      await fillOthers();
      await expectWhole();
    });

    it('are made batch by batch also where the blocks above them are still being made', async () => {
      await followTip();
      const db = new Database(database);
      const missing = { missing: [{ from: 0n, to: BigInt(BLOCKS - 2) }], outdated: [] };
      const above = await new EvmBuilds(db, new SmallPartitions(db)).claim(TEST_CHAIN, randomUUID(), missing);
      await database.query("UPDATE evm_builds SET expires_at = now() + interval '1 hour'");
      const index = open();
      await index.makeHelper().advance({
        durationMs: PATIENCE_MS,
        signal: new AbortController().signal,
        onProgress: () => undefined,
      });
      expect(index.warnings).toEqual([]);
      const made = await database.query<{ from: string; next: string }[]>(
        'SELECT from_height AS from, next_height AS next FROM evm_builds WHERE id <> $1 ORDER BY 1',
        [above?.id],
      );
      expect(made).toEqual([0, 64, 128, 192].map((from) => ({ from: `${from}`, next: `${from - 1}` })));
    });

    it('are left to a worker that is finishing one, however long that takes', async () => {
      await followTip();
      const db = new Database(database);
      const builds = new EvmBuilds(db, new SmallPartitions(db));
      const missing = { missing: [{ from: 0n, to: BigInt(BLOCKS - 2) }], outdated: [] };
      const claim = () => builds.claim(TEST_CHAIN, randomUUID(), missing);
      const first = await claim();
      await database.query('UPDATE evm_builds SET expires_at = now() - interval $$1 hour$$');
      const finishing = database.createQueryRunner();
      await finishing.startTransaction();
      try {
        await finishing.query('SELECT 1 FROM evm_builds FOR UPDATE');
        expect((await claim())?.id).not.toBe(first?.id);
      } finally {
        await finishing.rollbackTransaction();
        await finishing.release();
      }
      expect((await claim())?.id).toBe(first?.id);
    });
  });

  describe('when they are made again', () => {
    const spoil = (): Promise<unknown> => database.query('UPDATE evm_transactions SET fee = 1');

    it('answer until then, fail nobody, and leave what has come meanwhile', async () => {
      await fill();
      await spoil();
      await writer.renew(TEST_CHAIN, BASE, { from: 0n, to: MAX_HEIGHT });
      const longer = await startEvmChain(generateEvmChain({ blocks: BLOCKS + 40 }));
      setTip(longer, BLOCKS - 1);
      const chain = { traces: 'off' } as const;
      const index = createEvmIndex(database, [longer.cChainUrl], { ...OPTIONS, chain });
      const stopped = new AbortController();
      const counts = new Set<number>();
      const read = async (): Promise<void> => {
        while (!stopped.signal.aborted) {
          const [row] = await database.query<{ blocks: number }[]>(
            `SELECT count(*)::int AS blocks FROM evm_blocks b JOIN evm_transactions t USING (chain_key, height)
              WHERE t.tx_index = 0 AND b.height < ${BLOCKS}`,
          );
          counts.add(row?.blocks ?? -1);
        }
      };
      const follow = async (): Promise<void> => {
        for (let tip = BLOCKS; tip < BLOCKS + 40; tip++) {
          setTip(longer, tip);
          await advanceUntilDone(index.follower);
        }
      };
      const reading = Promise.all([read(), read(), read()]);
      await Promise.all([advanceUntilDone(index.base), follow()]);
      await advanceUntilDone(index.base);
      stopped.abort();
      await reading;
      expect(counts.size).toBe(1);
      expect(await database.query('SELECT * FROM evm_builds')).toEqual([]);
      const whole = await createMigratedDatabase();
      await advanceToEnd(createEvmIndex(whole, [longer.cChainUrl], { chain }));
      expect(await digestEvmTables(database)).toEqual(await digestEvmTables(whole));
      expect(await rangesOf(database)).toEqual([`0-${BLOCKS + 39}`]);
    });

    it('wait for whoever reads them for long, who is not disturbed', async () => {
      await fill();
      await spoil();
      await writer.renew(TEST_CHAIN, BASE, { from: 64n, to: 127n });
      const { base } = createEvmIndex(database, [node.cChainUrl], { ...OPTIONS, chain: { traces: 'off' } });
      const wrong = async (): Promise<number[]> => {
        const rows = await database.query<{ partition: number }[]>(
          'SELECT DISTINCT (height / 64)::int AS partition FROM evm_transactions WHERE fee = 1 ORDER BY 1',
        );
        return rows.map(({ partition }) => partition);
      };
      const reading = database.createQueryRunner();
      await reading.startTransaction();
      try {
        await reading.query('SELECT count(*) FROM evm_transactions');
        await eventually('it is ready', async () => {
          await advanceBriefly(base, 200);
          const [ready] = await database.query<unknown[]>(
            'SELECT 1 FROM evm_builds WHERE ready_to IS NOT NULL',
          );
          return ready !== undefined;
        });
        await advanceBriefly(base, 200);
        expect(await wrong()).toEqual([0, 1, 2, 3, 4]);
      } finally {
        await reading.rollbackTransaction();
        await reading.release();
      }
      await advanceUntilDone(base);
      expect(await wrong()).toEqual([0, 2, 3, 4]);
    });

    it('keep what no node has any more', async () => {
      await fill();
      await writer.renew(TEST_CHAIN, BASE, { from: 0n, to: MAX_HEIGHT });
      node.setCChainBehaviour({ kind: 'stateSynced', fromHeight: 100 });
      const { base } = createEvmIndex(database, [node.cChainUrl], { ...OPTIONS, chain: { traces: 'off' } });
      await advanceUntilDone(base);
      node.setCChainBehaviour({ kind: 'honest' });
      expect(await digestEvmTables(database)).toEqual(expected);
      // The genesis every node has.
      expect(await rangesOf(database)).toEqual(['0-0', '1-99', `100-${BLOCKS - 1}`]);
    });
  });

  describe('when the index goes back', () => {
    it('lose what is above, and nothing beneath', async () => {
      await fill();
      const chain = { traces: 'off' } as const;
      const forked = await startEvmChain(generateEvmChain({ blocks: BLOCKS, forkedAt: 200 }));
      const index = createEvmIndex(database, [forked.cChainUrl], { ...OPTIONS, chain });
      await expect(advanceUntilDone(index.follower)).rejects.toMatchObject({ code: 'FOREIGN_CHAIN' });
      await expect(writer.goBack(TEST_CHAIN, BigInt(BLOCKS + 5))).rejects.toThrow('cannot go back');
      await writer.goBack(TEST_CHAIN, 200n);
      expect(await rangesOf(database)).toEqual(['0-199']);
      const [row] = await database.query<{ highest: string }[]>(
        `SELECT greatest((SELECT max(height) FROM evm_blocks), (SELECT max(height) FROM evm_transfers),
                  (SELECT max(height) FROM evm_logs)) AS highest`,
      );
      expect(row?.highest).toBe('199');
      await advanceUntilDone(index.follower);
      const whole = await createMigratedDatabase();
      await advanceToEnd(createEvmIndex(whole, [forked.cChainUrl], { chain }));
      expect(await digestEvmTables(database)).toEqual(await digestEvmTables(whole));
    });

    it('are forgotten at another attempt when somebody has read them for too long', async () => {
      await fill();
      const reading = database.createQueryRunner();
      await reading.startTransaction();
      try {
        await reading.query('SELECT count(*) FROM evm_transactions');
        await expect(writer.goBack(TEST_CHAIN, 200n)).rejects.toThrow(TablesBusyError);
      } finally {
        await reading.rollbackTransaction();
        await reading.release();
      }
      await writer.goBack(TEST_CHAIN, 200n);
      expect(await rangesOf(database)).toEqual(['0-199']);
      const chain = { traces: 'off' } as const;
      await advanceUntilDone(createEvmIndex(database, [node.cChainUrl], { ...OPTIONS, chain }).follower);
      expect(await digestEvmTables(database)).toEqual(expected);
    });
  });

  describe('when the index goes back for a worker that is no longer waited for', () => {
    it.each([
      { point: 'partitions are dropped', isBefore: true },
      { point: 'rows are removed', isBefore: false },
    ])('keep what has come anew by the time $point', async ({ isBefore }) => {
      await fill();
      const replaceIt = async (): Promise<void> => {
        await writer.goBack(TEST_CHAIN, 200n);
        const options = { ...OPTIONS, chain: { traces: 'off' } } as const;
        await advanceUntilDone(createEvmIndex(database, [node.cChainUrl], options).follower);
      };
      class LatePartitions extends SmallPartitions {
        override async dropWithin(...args: Parameters<EvmPartitions['dropWithin']>): Promise<void> {
          if (isBefore) await replaceIt();
          await super.dropWithin(...args);
          if (!isBefore) await replaceIt();
        }
      }
      const late = makeWriter(database, LatePartitions);
      await expect(late.goBack(TEST_CHAIN, 200n)).rejects.toMatchObject({ code: 'CHECKPOINT_MOVED' });
      expect(await digestEvmTables(database)).toEqual(expected);
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
    const options = { ...OPTIONS, chain: { traces: 'off' } } as const;
    const refill = () => advanceUntilDone(createEvmIndex(database, [node.cChainUrl], options).base);
    const whileOldestAreRead = async (doWork: () => Promise<void>): Promise<void> => {
      const reading = database.createQueryRunner();
      await reading.startTransaction();
      try {
        await reading.query('SELECT count(*) FROM evm_transactions WHERE height < 64');
        await doWork();
      } finally {
        await reading.rollbackTransaction();
        await reading.release();
      }
    };

    it('are dropped when all of their blocks are older, and not filled in again', async () => {
      expect(await retain(5)).toBe(true);
      expect(Object.keys(await partitions())).toEqual(['128', '192', '256', '299']);
      expect(await rangesOf(database)).toEqual(['0-127x', '128-299']);
      expect(await rangesOf(database, 'atomic')).toEqual(['0-299']);
      const [counts] = await database.query<{ lowest: string; others: number }[]>(
        `SELECT (SELECT min(height) FROM evm_transactions) AS lowest,
           (SELECT count(*)::int FROM pg_class WHERE relname ~ '_(0|64)$' AND relkind = 'r') AS others`,
      );
      expect(Number(counts?.lowest)).toBeGreaterThanOrEqual(128);
      expect(counts?.others).toBe(0);

      const chain = { traces: 'off', keepDays: 5 } as const;
      const { base } = createEvmIndex(database, [node.cChainUrl], { ...OPTIONS, chain });
      await advanceBriefly(base);
      expect(await rangesOf(database)).toEqual(['0-127x', '128-299']);
      expect(await retain(5)).toBe(false);
    });

    it('take nothing of a batch that was read before', async () => {
      await retain(5);
      await writer.write(await batchOf(120n, 130n));
      expect(await rangesOf(database)).toEqual(['0-127x', '128-299']);
      const rows: unknown = await database.query('SELECT 1 FROM evm_blocks WHERE height < 128');
      expect(rows).toEqual([]);
    });

    it('are read no more once they are to go, and are dropped when the last export has ended', async () => {
      await whileOldestAreRead(async () => {
        await retain(5);
        expect(await rangesOf(database)).toEqual(['0-127x', '128-299']);
        expect(Object.keys(await partitions())).toContain('0');
      });
      await retain(5);
      expect(Object.keys(await partitions())).toEqual(['128', '192', '256', '299']);
    });

    it.each([100, undefined])('come back when more is kept: %p days', async (keepDays) => {
      await retain(5);
      expect(await retain(keepDays)).toBe(true);
      expect(await rangesOf(database)).toEqual(['128-299']);
      await refill();
      expect(await rangesOf(database)).toEqual(['0-299']);
    });

    it('come back when more is kept before all of them are dropped', async () => {
      await whileOldestAreRead(async () => {
        await retain(5);
        expect(await retain()).toBe(false);
      });
      await retain();
      await refill();
      expect(await rangesOf(database)).toEqual(['0-299']);
    });

    it('are made again by a process that does not know that another one has dropped them', async () => {
      const batch = await batchOf(100n, 127n);
      await writer.write(batch); // now it knows them
      const other = makeWriter(database, SmallPartitions);
      await other.retain(TEST_CHAIN, 5);
      await other.retain(TEST_CHAIN, undefined);
      await writer.write(batch);
      expect(await rangesOf(database)).toEqual(['100-299']);
    });

    it('stay when no block is old enough', async () => {
      expect(await retain(100)).toBe(false);
      expect(await rangesOf(database)).toEqual(['0-299']);
    });
  });
});
