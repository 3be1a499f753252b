import type { PrimaryChain } from '../../platform/database/chains.js';
import { partitionOf } from '../../platform/database/chains.js';
import type { Queryable } from '../../platform/database/database.js';
import { FEW_DEAD_LISTINGS } from '../../platform/database/network-partitions.js';
import type { NetworkName } from '../../platform/config/config.module.js';

interface ListedChain {
  readonly network: NetworkName;
  readonly chain: PrimaryChain;
}

/**
 * How soon the lists of a chain's UTXOs are vacuumed. At the tip after few dead rows, which stand in front of first pages; of a large chain
 * that is far behind the next VACUUM of all indexes would begin when the last one ends, so that dead rows have to be a share of the table
 * there, as elsewhere. On record at the table, for whichever process comes to the tip.
 */
export async function vacuumSeldom(database: Queryable, listed: ListedChain): Promise<void> {
  const [name] = FEW_DEAD_LISTINGS.split(' = ');
  await alter(database, listed, `RESET (${name})`);
}

export async function vacuumOften(database: Queryable, listed: ListedChain): Promise<void> {
  await alter(database, listed, `SET (${FEW_DEAD_LISTINGS})`);
}

export async function isVacuumedOften(database: Queryable, listed: ListedChain): Promise<boolean> {
  const rows = await database.query({
    text: 'SELECT FROM pg_class WHERE oid = $1::regclass AND reloptions @> ARRAY[$2]',
    values: [partition(listed), FEW_DEAD_LISTINGS.replaceAll(' ', '')],
  });
  return rows.length > 0;
}

function alter(database: Queryable, listed: ListedChain, change: string): Promise<number> {
  return database.execute({ text: `ALTER TABLE ${partition(listed)} ${change}`, values: [] });
}

function partition({ network, chain }: ListedChain): string {
  return partitionOf('utxo_listings', network, chain);
}
