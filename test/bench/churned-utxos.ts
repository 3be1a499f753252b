import type { DataSource } from 'typeorm';
import type { HttpClient } from './http-client.js';
import { measure, summarise } from './measure.js';
import { row } from './pages.js';

/**
 * As an exchange's address: what comes in is spent soon, so that the newest entries of the list are dead ones. Of all that are to be vacuumed
 * (network-partitions.ts) half is of the chain's list.
 */
const SPENT = 10_000;
/** What the address has spent before, vacuumed as often as autovacuum would. */
const SPENT_BEFORE = 1_000_000;

export interface ChurnOptions {
  readonly path: string;
  /** Hex. */
  readonly whale: string;
  readonly seconds: number;
  /** In the tables. */
  readonly utxos: number;
}

/** The first page of an address right after much of what it had was spent, and after a VACUUM. */
export async function benchChurnedUtxos(
  dataSource: DataSource,
  client: HttpClient,
  { path, whale, seconds, utxos }: ChurnOptions,
): Promise<string[]> {
  const call = async (): Promise<void> => {
    const { status, body } = await client.get(path);
    if (status !== 200) throw new Error(`${path}: ${status} ${body}`);
  };
  const pages = (forMs: number) => measure({ forMs, call }).then((sample) => summarise([sample]).p50Ms);
  await pages(seconds * 1000);
  const rounds = Math.ceil(Math.min(SPENT_BEFORE, 5 * utxos) / SPENT);
  for (let round = 0; round < rounds; round += 1) {
    await receive(dataSource, whale);
    await spend(dataSource, whale);
    await dataSource.query(`VACUUM ${LIST}`);
  }
  await receive(dataSource, whale);
  await spend(dataSource, whale);
  const first = await pages(0);
  const churned = await pages(seconds * 1000);
  await dataSource.query(`VACUUM ANALYZE ${LIST}`);
  const vacuumed = await pages(seconds * 1000);
  const ms = (time: number): string => `${time.toFixed(2)} ms`;
  const cells = ['UTXOs of one address', 'First call', 'Page 1', 'After VACUUM', 'Ratio (goal ≤ 1.25)'];
  const spent = (rounds * SPENT).toLocaleString('en');
  return [
    row(cells),
    row(cells.map(() => '---')),
    row([
      `${spent} spent before, ${SPENT.toLocaleString('en')} just now`,
      ms(first),
      ms(churned),
      ms(vacuumed),
      `${(churned / vacuumed).toFixed(2)} ×`,
    ]),
  ];
}

const LIST = 'utxo_listings_mainnet_p';

/** So many newer ones than there are. */
async function receive(dataSource: DataSource, whale: string): Promise<void> {
  await dataSource.query(
    `INSERT INTO ${LIST} (network, chain, address, is_spent, block_time, amount, utxo_id, asset_id, threshold, is_reward)
     SELECT network, chain, address, false, newest.time + number, amount, sha256(utxo_id || int8send(newest.time + number)), asset_id,
       threshold, false
       FROM (SELECT max(block_time) AS time FROM ${LIST} WHERE address = decode($1, 'hex')) AS newest,
            (SELECT * FROM ${LIST} WHERE address = decode($1, 'hex') AND NOT is_spent LIMIT 1) AS one,
            generate_series(1, ${SPENT}) AS number`,
    [whale],
  );
}

/** The newest. */
async function spend(dataSource: DataSource, whale: string): Promise<void> {
  await dataSource.query(
    `UPDATE ${LIST} SET is_spent = true
      WHERE ctid IN (
        SELECT ctid FROM ${LIST} WHERE address = decode($1, 'hex') AND NOT is_spent
         ORDER BY block_time DESC, utxo_id DESC LIMIT ${SPENT}
      )`,
    [whale],
  );
}
