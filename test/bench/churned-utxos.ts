import type { DataSource } from 'typeorm';
import type { HttpClient } from './http-client.js';
import { measure, summarise } from './measure.js';
import { row } from './pages.js';

/**
 * As an exchange's address: what comes in is spent soon, so that the newest entries of the list are dead ones. Of all that are to be vacuumed
 * (network-partitions.ts) half is of the chain's list.
 */
const SPENT = 10_000;

/** The first page of an address right after much of what it had was spent, and after a VACUUM. `whale` is its hex. */
export async function benchChurnedUtxos(
  dataSource: DataSource,
  client: HttpClient,
  { path, whale, seconds }: { path: string; whale: string; seconds: number },
): Promise<string[]> {
  const call = async (): Promise<void> => {
    const { status, body } = await client.get(path);
    if (status !== 200) throw new Error(`${path}: ${status} ${body}`);
  };
  const pages = (forMs: number) => measure({ forMs, call }).then((sample) => summarise([sample]).p50Ms);
  await pages(seconds * 1000);
  const [, spent] = await dataSource.query<[unknown, number]>(
    `WITH unspent AS (
       SELECT ctid, row_number() OVER (ORDER BY block_time DESC, utxo_id DESC) AS place, count(*) OVER () AS total
         FROM utxo_listings_mainnet_p WHERE address = decode($1, 'hex') AND NOT is_spent
     )
     UPDATE utxo_listings_mainnet_p AS l SET is_spent = true FROM unspent
      WHERE l.ctid = unspent.ctid AND unspent.place <= least(${SPENT}, unspent.total / 2)`,
    [whale],
  );
  const first = await pages(0);
  const churned = await pages(seconds * 1000);
  await dataSource.query('VACUUM ANALYZE utxo_listings_mainnet_p');
  const vacuumed = await pages(seconds * 1000);
  const ms = (time: number): string => `${time.toFixed(2)} ms`;
  const cells = ['UTXOs of one address', 'First call', 'Page 1', 'After VACUUM', 'Ratio (goal ≤ 1.25)'];
  return [
    row(cells),
    row(cells.map(() => '---')),
    row([
      `${spent} of them just spent`,
      ms(first),
      ms(churned),
      ms(vacuumed),
      `${(churned / vacuumed).toFixed(2)} ×`,
    ]),
  ];
}
