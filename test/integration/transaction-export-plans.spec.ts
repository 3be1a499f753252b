import { beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import type { Address } from '../../src/avalanche/evm/rpc/hex-values.js';
import { Database } from '../../src/platform/database/database.js';
import { EvmPartitions } from '../../src/indexes/evm/rows/partitions.js';
import { copyOut } from '../../src/exports/rows/copy-out.js';
import {
  MOVEMENT_QUERY_SETTINGS,
  movementQuery,
  unaskedTokensQuery,
} from '../../src/exports/rows/movement-query.js';
import { eventually } from '../support/harness/eventually.js';
import { GENERATED_CHAIN, generatedAddresses, generateEvm } from '../support/evm/generated-evm.js';
import { isRecord } from '../support/http/list-api.js';
import { createMigratedDatabase } from '../support/harness/database.js';

const TRANSACTIONS = 60_000;
const BLOCKS = BigInt(TRANSACTIONS / 20);
const avaxAssetId = 'ab'.repeat(32);
const FEE_SINK: Address = '0x0100000000000000000000000000000000000000';

describe('the queries of an export', () => {
  let dataSource: DataSource;
  let addresses: { whale: Address; ordinary: Address };

  beforeAll(async () => {
    dataSource = await createMigratedDatabase();
    await new EvmPartitions(new Database(dataSource)).ensure(
      GENERATED_CHAIN,
      { from: 0n, to: 3_000_000n },
      1,
    );
    await generateEvm(dataSource, { transactions: TRANSACTIONS, days: 10 });
    addresses = await generatedAddresses(dataSource);
  });

  const chain = { ...GENERATED_CHAIN, name: 'C-Chain', nativeSymbol: 'AVAX', nativeDecimals: 18 };

  /** Postgres's actual plan, with the settings of an export. */
  const explain = (query: string): Promise<Work> =>
    dataSource.transaction(async ({ queryRunner }) => {
      if (queryRunner === undefined) throw new Error('no connection');
      for (const [name, value] of Object.entries(MOVEMENT_QUERY_SETTINGS)) {
        await queryRunner.query('SELECT set_config($1, $2, true)', [name, value]);
      }
      const rows: unknown = await queryRunner.query(`EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${query}`);
      const row: unknown = Array.isArray(rows) ? rows[0] : undefined;
      const plans: unknown = isRecord(row) ? row['QUERY PLAN'] : undefined;
      const plan: unknown = Array.isArray(plans) ? plans[0] : undefined;
      if (!isRecord(plan) || !isRecord(plan['Plan'])) throw new Error('no plan');
      return workOf(plan['Plan']);
    });

  it('find the few rows of most addresses by the indexes of addresses', async () => {
    const query = movementQuery({
      chain,
      avaxAssetId,
      addresses: [addresses.ordinary],
      fromHeight: 0n,
      toHeight: BLOCKS,
    });
    const work = await explain(query);
    expect(work.sequentialScans).toEqual([]);
    expect(work.indexes).toEqual(
      expect.arrayContaining([
        // In the order in which they are made: by the sender, the recipient and who has the fee.
        'evm_transactions_43114_0_substr_int4_idx',
        'evm_transactions_43114_0_substr_int4_idx1',
        'evm_transactions_43114_0_substr_int4_idx2',
        'evm_transfers_43114_0_substr_int4_idx',
        'evm_transfers_43114_0_substr_int4_idx1',
      ]),
    );
    expect(work.rowsRead).toBeLessThan(100);
    expect(work.rows).toBeGreaterThan(0);
  });

  it('look for tokens that were not asked yet by the indexes of addresses', async () => {
    await dataSource.query(
      `INSERT INTO evm_tokens (chain_key, contract, failure) SELECT DISTINCT chain_key, contract, 'silent' FROM evm_transfers
       ON CONFLICT (chain_key, contract) DO UPDATE SET failure = EXCLUDED.failure`,
    );
    const query = { chain, avaxAssetId, fromHeight: 0n, toHeight: BLOCKS };
    const work = await explain(unaskedTokensQuery({ ...query, addresses: [addresses.ordinary] }));
    expect(work.rows).toBe(1);
    const nobody: Address = `0x${'12'.repeat(20)}`;
    const inVain = await explain(unaskedTokensQuery({ ...query, addresses: [nobody] }));
    expect(inVain.rows).toBe(0);
    for (const each of [work, inVain]) expect(each.rowsRead).toBeLessThan(100);
    await dataSource.query('UPDATE evm_tokens SET failure = NULL');
  });

  it.each(['whale', 'everybody'])('read no further than the window for the many rows of %s', async (who) => {
    const asked = [who === 'whale' ? addresses.whale : FEE_SINK];
    const query = movementQuery({
      chain,
      avaxAssetId,
      addresses: asked,
      fromHeight: 1_000n,
      toHeight: 1_099n,
    });
    const work = await explain(query);
    expect(work.sequentialScans).toEqual([]);
    expect(work.rows).toBeGreaterThan(1_900);
    // Transactions and transfers of a hundred blocks, some of them counted in an index and in its table.
    expect(work.rowsRead).toBeLessThan(3 * 4_000);
    expect(work.sortsOnDisk).toBe(0);
  });

  it('look at the partitions of the heights only', async () => {
    const query = movementQuery({
      chain,
      avaxAssetId,
      addresses: [addresses.whale],
      fromHeight: 1_048_576n,
      toHeight: 2_097_151n,
    });
    const { tables } = await explain(query);
    expect(tables.filter((table) => table.startsWith('evm_tra')).sort()).toEqual([
      'evm_transactions_43114_1048576',
      'evm_transfers_43114_1048576',
    ]);
  });

  const drain = async (
    rows: AsyncIterable<Buffer>,
    onChunk: () => void = () => undefined,
  ): Promise<number> => {
    let bytes = 0;
    for await (const chunk of rows) {
      bytes += chunk.length;
      onChunk();
    }
    return bytes;
  };

  const noneIsBusy = (): Promise<void> =>
    eventually('no connection is busy', async () => {
      const [row] = await dataSource.query<{ count: number }[]>(
        `SELECT count(*)::int AS count FROM pg_stat_activity
          WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'`,
      );
      return row?.count === 0;
    });

  const SETTINGS = { settings: {}, timeoutMs: 60_000 };
  const LARGE = `SELECT repeat('x', 1000) FROM generate_series(1, 100000)`;
  const SILENT = 'SELECT pg_sleep(60)';

  it('give the connection back after each COPY, whatever became of it', async () => {
    const database = new Database(dataSource);
    // More often than there are connections.
    for (let round = 0; round < 6; round += 1) {
      const { signal } = new AbortController();
      expect(await drain(copyOut(database, LARGE, { ...SETTINGS, signal }))).toBe(100_000 * 1_001);

      const inTheMiddle = new AbortController();
      const copy = copyOut(database, LARGE, { ...SETTINGS, signal: inTheMiddle.signal });
      const reason = new Error('cancelled');
      await expect(drain(copy, () => inTheMiddle.abort(reason))).rejects.toBe(reason);

      for await (const chunk of copyOut(database, LARGE, { ...SETTINGS, signal })) {
        if (chunk.length > 0) break;
      }

      const broken = copyOut(database, 'SELECT 1 / 0', { ...SETTINGS, signal });
      await expect(drain(broken)).rejects.toMatchObject({ code: '22012' });
    }
    await noneIsBusy();
  });

  it('are cancelled while they have nothing to send yet', async () => {
    const database = new Database(dataSource);
    const abort = new AbortController();
    const copy = drain(copyOut(database, SILENT, { ...SETTINGS, signal: abort.signal }));
    const outcome = expect(copy).rejects.toThrow('cancelled');
    await eventually('the query runs', async () => {
      const rows = await dataSource.query<unknown[]>(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'COPY%' AND state = 'active'`,
      );
      return rows.length === 1;
    });
    abort.abort(new Error('cancelled'));
    await outcome;
    await noneIsBusy();
  });

  it('are given up when they take too long', async () => {
    const database = new Database(dataSource);
    const { signal } = new AbortController();
    const copy = drain(copyOut(database, SILENT, { settings: {}, timeoutMs: 100, signal }));
    // The driver, when Postgres takes its time to say so.
    await expect(copy).rejects.toThrow(/due to statement timeout|Query read timeout/);
    await noneIsBusy();
  });
});

interface Work {
  rows: number;
  /** By all nodes that read tables or indexes. */
  rowsRead: number;
  sequentialScans: string[];
  indexes: string[];
  tables: string[];
  sortsOnDisk: number;
}

function workOf(plan: Record<string, unknown>): Work {
  const work: Work = {
    rows: Number(plan['Actual Rows']),
    rowsRead: 0,
    sequentialScans: [],
    indexes: [],
    tables: [],
    sortsOnDisk: 0,
  };
  addWork(plan, work);
  return work;
}

function addWork(plan: Record<string, unknown>, work: Work): void {
  const type = String(plan['Node Type']);
  const table = plan['Relation Name'];
  if (typeof table === 'string') work.tables.push(table);
  if (type === 'Seq Scan') work.sequentialScans.push(String(table));
  if (typeof plan['Index Name'] === 'string') work.indexes.push(plan['Index Name']);
  if (plan['Sort Space Type'] === 'Disk') work.sortsOnDisk += 1;
  if (type.endsWith('Scan') && !String(table).startsWith('evm_tokens')) {
    const removed = Number(plan['Rows Removed by Filter'] ?? 0);
    if (type !== 'Subquery Scan') {
      work.rowsRead += (Number(plan['Actual Rows']) + removed) * Number(plan['Actual Loops']);
    }
  }
  const inner = plan['Plans'];
  if (Array.isArray(inner)) for (const each of inner) if (isRecord(each)) addWork(each, work);
}
