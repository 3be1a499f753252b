import type { DataSource } from 'typeorm';
import { type RunSql, withoutTimeouts } from '../../../src/platform/database/data-source.js';

/** Every so many messages are sent by one address. */
const WHALE_SHARE = 20;

const id = (kind: string, number: string): string => `sha256(('${kind}' || (${number}))::bytea)`;
const shortId = (kind: string, number: string): string => `substr(${id(kind, number)}, 1, 20)`;

/**
 * Fills the tables with messages from one chain to another, made by Postgres itself: a few addresses send very many, and most are
 * for some hundred contracts. One in fifty is pending, and the execution of another one has failed.
 */
export async function generateMessages(
  dataSource: DataSource,
  count: number,
  progress: (text: string) => void = () => undefined,
): Promise<void> {
  const tables = [
    ['icm_sends', sends(count)],
    ['icm_deliveries', deliveries()],
    ['icm_fees', fees()],
    ['icm_executions', executions()],
    ['icm_listings', listings()],
  ] as const;
  await withoutTimeouts(dataSource, async (run) => {
    await run(`SET maintenance_work_mem = '1GB'`);
    for (const [table, insert] of tables) {
      const startedAt = performance.now();
      await withoutIndexes(run, table, () => run(insert));
      await run(`VACUUM ANALYZE ${table}`);
      progress(`${table}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
    }
  });
}

/** Filling indexes afterwards takes a fraction of the time. */
async function withoutIndexes(run: RunSql, table: string, fill: () => Promise<unknown>): Promise<void> {
  const [key] = await run<{ name: string; definition: string }>(
    `SELECT conname AS name, pg_get_constraintdef(oid) AS definition FROM pg_constraint
      WHERE conrelid = '${table}'::regclass AND contype = 'p'`,
  );
  const indexes = await run<{ name: string; definition: string }>(
    `SELECT indexname AS name, indexdef AS definition FROM pg_indexes
      WHERE tablename = '${table}' AND indexdef NOT LIKE 'CREATE UNIQUE%'`,
  );
  if (key === undefined) throw new Error(`${table} has no key`);
  await run(`ALTER TABLE ${table} DROP CONSTRAINT ${key.name}`);
  for (const { name } of indexes) await run(`DROP INDEX ${name}`);
  await fill();
  await run(`ALTER TABLE ${table} ADD CONSTRAINT ${key.name} ${key.definition}`);
  for (const { definition } of indexes) await run(definition.replace(' ON ONLY ', ' ON '));
}

const TOLD = 'network, message_id, chain_key, contract, height, log_index';
const MESSAGE =
  'source_blockchain_id, destination_blockchain_id, nonce, from_address, to_address, receipts, data, parties';

const sends = (count: number): string => `
  INSERT INTO icm_sends (${TOLD}, block_time, tx_hash, fee, ${MESSAGE})
  SELECT 'mainnet', ${id('message', 'i')}, 43114, ${shortId('messenger', '0')}, i, 0, 1600000000 + i,
    ${id('transaction', 'i')}, 21000, ${id('chain', '1')}, ${id('chain', '2')}, i,
    ${shortId('sender', `CASE WHEN i % ${WHALE_SHARE} = 0 THEN 0 ELSE i % ${Math.ceil(count / 20)} END`)},
    ${shortId('recipient', 'i % 300')}, '{}', decode(repeat(md5(i::text), 6), 'hex'), '{}'
    FROM generate_series(1, ${count}) i`;

const deliveries = (): string => `
  INSERT INTO icm_deliveries (${TOLD}, block_time, tx_hash, fee, ${MESSAGE}, deliverer, reward_redeemer)
  SELECT network, message_id, 2, contract, height, 0, block_time + 3, tx_hash, fee, ${MESSAGE},
    from_address, from_address FROM icm_sends WHERE height % 50 > 0`;

const fees = (): string => `
  INSERT INTO icm_fees (${TOLD}, token, amount, is_credited)
  SELECT ${TOLD}, ${shortId('token', '0')}, 0, height % 3 > 0 FROM icm_sends`;

const executions = (): string => `
  INSERT INTO icm_executions (${TOLD}) SELECT ${TOLD} FROM icm_deliveries WHERE height % 50 > 1`;

const listings = (): string => `
  INSERT INTO icm_listings (network, address, sort_time, message_id, since_version)
  SELECT network, unnest(ARRAY[from_address, to_address]), block_time, message_id, 0 FROM icm_sends`;

/** Hex of the address that has sent every twentieth message. */
export async function generatedSender(dataSource: DataSource): Promise<string> {
  const rows: { sender: string }[] = await dataSource.query(
    `SELECT encode(${shortId('sender', '0')}, 'hex') AS sender`,
  );
  return rows[0]?.sender ?? '';
}
