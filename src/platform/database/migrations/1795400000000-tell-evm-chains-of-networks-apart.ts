import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Two networks may have an EVM chain of the same id. What was `chain_id` in the tables is a key of network and id now: on mainnet
 * still the id, on Fuji 2^53 more (src/platform/database/chains.ts). Mainnet's rows stay as they are, Fuji's are rewritten.
 */
export class TellEvmChainsOfNetworksApart1795400000000 implements MigrationInterface {
  readonly name = 'TellEvmChainsOfNetworksApart1795400000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('SET LOCAL statement_timeout = 0'); // a whole chain is rewritten
    for (const id of await fujiChains(queryRunner)) await moveChain(queryRunner, id, id + FUJI_KEYS);
    await renameColumn(queryRunner, 'chain_id', 'chain_key');
  }

  /** Fuji's chains go: their ids may be taken by mainnet's. They are indexed anew. */
  async down(queryRunner: QueryRunner): Promise<void> {
    for (const id of await fujiChains(queryRunner)) await dropChain(queryRunner, id + FUJI_KEYS);
    for (const table of ['index_checkpoints', 'index_progress']) {
      await queryRunner.query(`DELETE FROM ${table} WHERE network = 'fuji' AND chain LIKE 'evm-%'`);
    }
    await renameColumn(queryRunner, 'chain_key', 'chain_id');
  }
}

const FUJI_KEYS = 2n ** 53n;
const PARTITIONED = ['evm_blocks', 'evm_transactions', 'evm_transfers'];

async function fujiChains(queryRunner: QueryRunner): Promise<bigint[]> {
  const rows = await queryRunner.manager.query<{ id: string }[]>(
    `SELECT substr(chain, 5) AS id FROM index_checkpoints WHERE network = 'fuji' AND chain LIKE 'evm-%'`,
  );
  return rows.map(({ id }) => BigInt(id));
}

async function moveChain(queryRunner: QueryRunner, from: bigint, to: bigint): Promise<void> {
  for (const table of PARTITIONED) {
    const [old, renamed] = [`${table}_${from}`, `${table}_${to}`];
    const parts = await partsOf(queryRunner, old);
    if (parts.length === 0) continue;
    await queryRunner.query(`ALTER TABLE ${table} DETACH PARTITION ${old}`);
    await queryRunner.query(`UPDATE ${old} SET chain_id = ${to}`);
    for (const part of parts) {
      await queryRunner.query(`ALTER TABLE ${part} RENAME TO ${part.replace(old, renamed)}`);
    }
    await queryRunner.query(`ALTER TABLE ${table} ATTACH PARTITION ${renamed} FOR VALUES IN (${to})`);
  }
  await queryRunner.query(`UPDATE evm_tokens SET chain_id = ${to} WHERE chain_id = ${from}`);
}

async function dropChain(queryRunner: QueryRunner, key: bigint): Promise<void> {
  for (const table of PARTITIONED) await queryRunner.query(`DROP TABLE IF EXISTS ${table}_${key}`);
  await queryRunner.query(`DELETE FROM evm_tokens WHERE chain_key = ${key}`);
}

/** A partition and those that it is divided into; none when it is not there. */
async function partsOf(queryRunner: QueryRunner, partition: string): Promise<string[]> {
  const rows = await queryRunner.manager.query<{ name: string }[]>(
    'SELECT relid::text AS name FROM pg_partition_tree(to_regclass($1))',
    [partition],
  );
  return rows.map(({ name }) => name);
}

async function renameColumn(queryRunner: QueryRunner, from: string, to: string): Promise<void> {
  for (const table of [...PARTITIONED, 'evm_tokens']) {
    await queryRunner.query(`ALTER TABLE ${table} RENAME COLUMN ${from} TO ${to}`);
  }
}
