import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The indexes of addresses belong to the single partitions and no longer to the tables, so that a partition that is being filled
 * with older blocks can do without them until it is full (src/indexes/evm/rows/address-indexes.ts). Those of rows that are there are made
 * anew. `dropped` in the coverage: heights that are older than what is kept of the chain.
 */
export class IndexAddressesByPartition1795430000000 implements MigrationInterface {
  readonly name = 'IndexAddressesByPartition1795430000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('SET LOCAL statement_timeout = 0'); // whole chains are indexed
    for (const { table, column, condition } of INDEXES) {
      await queryRunner.query(`DROP INDEX ${table}_${column}_idx`);
      for (const partition of await partitionsOf(queryRunner, table)) {
        const name = `${partition}_${column}_height_idx`;
        await queryRunner.query(`CREATE INDEX ${name} ON ${partition} (${column}, height) ${condition}`);
      }
    }
    await queryRunner.query('ALTER TABLE index_coverage DROP CONSTRAINT index_coverage_status');
    await queryRunner.query(
      `ALTER TABLE index_coverage
         ADD CONSTRAINT index_coverage_status CHECK (status IN ('complete', 'unavailable', 'dropped'))`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('SET LOCAL statement_timeout = 0');
    for (const { table, column, condition } of INDEXES) {
      for (const partition of await partitionsOf(queryRunner, table)) {
        await queryRunner.query(`DROP INDEX IF EXISTS ${partition}_${column}_height_idx`);
      }
      await queryRunner.query(
        `CREATE INDEX ${table}_${column}_idx ON ${table} (${column}, height) ${condition}`,
      );
    }
    await queryRunner.query(`DELETE FROM index_coverage WHERE status = 'dropped'`);
    await queryRunner.query('ALTER TABLE index_coverage DROP CONSTRAINT index_coverage_status');
    await queryRunner.query(
      `ALTER TABLE index_coverage
         ADD CONSTRAINT index_coverage_status CHECK (status IN ('complete', 'unavailable'))`,
    );
  }
}

const INDEXES = [
  { table: 'evm_transactions', column: 'from_address', condition: '' },
  { table: 'evm_transactions', column: 'to_address', condition: '' },
  {
    table: 'evm_transactions',
    column: 'fee_recipient',
    condition: `WHERE fee_recipient <> '\\x0100000000000000000000000000000000000000'`,
  },
  { table: 'evm_transfers', column: 'from_address', condition: '' },
  { table: 'evm_transfers', column: 'to_address', condition: '' },
  { table: 'evm_internal_transfers', column: 'from_address', condition: '' },
  { table: 'evm_internal_transfers', column: 'to_address', condition: '' },
  { table: 'evm_atomic_transfers', column: 'address', condition: '' },
];

async function partitionsOf(queryRunner: QueryRunner, table: string): Promise<string[]> {
  const rows = await queryRunner.manager.query<{ name: string }[]>(
    'SELECT relid::text AS name FROM pg_partition_tree($1) WHERE isleaf AND level > 1',
    [table],
  );
  return rows.map(({ name }) => name);
}
