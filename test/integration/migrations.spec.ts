import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { Database } from '../../src/platform/database/database.js';
import { evmChainKey, evmChainName } from '../../src/platform/database/chains.js';
import {
  dataSourceOptions,
  revertMigration,
  runMigrations,
} from '../../src/platform/database/data-source.js';
import { EvmPartitions } from '../../src/indexes/evm/rows/partitions.js';
import { createEmptyDatabase } from '../support/harness/services.js';

/** All tables with their columns and indexes, without those that keep the migrations themselves. */
const SCHEMA = `
  SELECT table_name || '.' || column_name || ' ' || data_type AS what FROM information_schema.columns
   WHERE table_schema = 'public' AND table_name NOT LIKE '%migrations%'
  UNION ALL
  SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' AND tablename NOT LIKE '%migrations%'
  ORDER BY 1`;

describe('the migrations', () => {
  let dataSource: DataSource;

  beforeAll(async () => {
    const { url } = await createEmptyDatabase();
    dataSource = await new DataSource(dataSourceOptions({ url, poolSize: 2 })).initialize();
  });

  afterAll(() => dataSource.destroy());

  const schema = async (): Promise<string[]> => {
    const rows: { what: string }[] = await dataSource.query(SCHEMA);
    return rows.map(({ what }) => what);
  };

  it('can be reverted one by one, leave nothing, and make the same schema again', async () => {
    await runMigrations(dataSource);
    const complete = await schema();
    expect(complete.length).toBeGreaterThan(100);
    for (const _ of dataSource.migrations) await revertMigration(dataSource);
    expect(await schema()).toEqual([]);
    await runMigrations(dataSource);
    expect(await schema()).toEqual(complete);
  });

  it('keep the rows of EVM chains that were known by their ids alone', async () => {
    await revertTo('TellEvmChainsOfNetworksApart1795400000000');
    for (const [network, id] of [
      ['mainnet', 43114],
      ['fuji', 43113],
    ] as const) {
      await dataSource.query(
        `CREATE TABLE evm_blocks_${id} PARTITION OF evm_blocks FOR VALUES IN (${id}) PARTITION BY RANGE (height)`,
      );
      await dataSource.query(
        `CREATE TABLE evm_blocks_${id}_0 PARTITION OF evm_blocks_${id} FOR VALUES FROM (0) TO (1000000)`,
      );
      await dataSource.query(
        `INSERT INTO evm_blocks (chain_id, height, hash, block_time) VALUES (${id}, 7, '', 0)`,
      );
      await dataSource.query(`INSERT INTO evm_tokens (chain_id, contract) VALUES (${id}, '')`);
      await dataSource.query(
        `INSERT INTO index_checkpoints (network, chain, height, block_id, block_time, state)
         VALUES ($1, $2, 7, '', 0, '{}')`,
        [network, evmChainName(BigInt(id))],
      );
    }
    await runMigrations(dataSource);
    const keys = [
      evmChainKey({ network: 'mainnet', chainId: 43114n }),
      evmChainKey({ network: 'fuji', chainId: 43113n }),
    ];
    for (const table of ['evm_blocks', 'evm_tokens']) {
      const rows = await dataSource.query<{ key: string }[]>(
        `SELECT chain_key AS key FROM ${table} ORDER BY 1`,
      );
      expect(rows.map(({ key }) => BigInt(key))).toEqual(keys);
    }
    // Where the index looks for them.
    const partitions = await dataSource.query<{ name: string }[]>(
      `SELECT relid::text AS name FROM pg_partition_tree('evm_blocks') WHERE isleaf ORDER BY 1`,
    );
    expect(partitions.map(({ name }) => name)).toEqual(keys.map((key) => `evm_blocks_${key}_0`).sort());
    await new EvmPartitions(new Database(dataSource)).ensure(
      { network: 'fuji', chainId: 43113n },
      { from: 7n, to: 8n },
      1,
    );
    await revertTo('TellEvmChainsOfNetworksApart1795400000000');
    await runMigrations(dataSource);
  });

  it('keep what was indexed of EVM chains, facet by facet', async () => {
    await revertTo('CoverByFacet1795410000000');
    await dataSource.query(`
      CREATE TABLE evm_transfers_9 PARTITION OF evm_transfers FOR VALUES IN (9) PARTITION BY RANGE (height);
      CREATE TABLE evm_transfers_9_0 PARTITION OF evm_transfers_9 FOR VALUES FROM (0) TO (1000000);
      INSERT INTO evm_transfers (chain_key, height, position, tx_index, block_time, tx_hash, kind, trace_path, from_address,
        to_address, amount)
      VALUES (9, 5, 0, 0, 0, '', 'INTERNAL', '0_1', '', '', 7), (9, 5, 1, 0, 0, '', 'ERC20', NULL, '', '', 8)`);
    const state = {
      firstHeight: '0',
      ranges: [
        { from: '0', to: '3', isTraced: true },
        { from: '4', to: '5', isTraced: false },
        { from: '6', to: '9', isTraced: true },
        { from: '20', to: '30', isTraced: false },
      ],
    };
    await dataSource.query(
      `INSERT INTO index_checkpoints (network, chain, height, block_id, block_time, state)
       VALUES ('mainnet', 'evm-9', 30, '', 0, $1)`,
      [JSON.stringify(state)],
    );
    await runMigrations(dataSource);
    const coverage = await dataSource.query<{ range: string }[]>(
      `SELECT facet || ' ' || from_height || '-' || to_height || ' ' || version AS range FROM index_coverage
        WHERE chain = 'evm-9' ORDER BY facet, from_height`,
    );
    expect(coverage.map(({ range }) => range)).toEqual([
      'base 0-9 1',
      'base 20-30 1',
      'traces 0-3 1',
      'traces 6-9 1',
    ]);
    const kinds = await dataSource.query<object[]>(
      `SELECT kind, amount FROM evm_transfers UNION ALL SELECT kind, amount FROM evm_internal_transfers ORDER BY kind`,
    );
    expect(kinds).toEqual([
      { kind: 'ERC20', amount: '8' },
      { kind: 'INTERNAL', amount: '7' },
    ]);
    const [checkpoint] = await dataSource.query<object[]>(
      `SELECT state FROM index_checkpoints WHERE chain = 'evm-9'`,
    );
    expect(checkpoint).toEqual({ state: { firstHeight: '0' } });
    await revertMigration(dataSource);
    await runMigrations(dataSource);
  });

  /** Undoes that migration and all after it. */
  async function revertTo(name: string): Promise<void> {
    const names = dataSource.migrations.map((migration) => migration.name);
    for (const _ of names.slice(names.indexOf(name))) await revertMigration(dataSource);
  }
});
