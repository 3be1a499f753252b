import type { Address } from '../../avalanche/evm/rpc/hex-values.js';
import type { Database } from '../../platform/database/database.js';
import {
  balanceChangesQuery,
  MOVEMENT_QUERY_SETTINGS,
  MOVEMENT_QUERY_TIMEOUT_MS,
  type MovementQuery,
} from '../rows/movement-query.js';
import { RunningSums } from '../running-sums.js';

/** By how much the rows of the tables change the balance of each account, in raw units. */
export async function readRecordedChanges(
  database: Database,
  query: MovementQuery,
): Promise<ReadonlyMap<Address, RunningSums>> {
  const rows = await database.transaction(
    async (transaction) => {
      await transaction.set(MOVEMENT_QUERY_SETTINGS);
      return transaction.query<{ address: Address; height: string; change: string }>({
        text: balanceChangesQuery(query),
        values: [],
      });
    },
    { statementTimeoutMs: MOVEMENT_QUERY_TIMEOUT_MS },
  );
  const changes = new Map(query.addresses.map((address) => [address, new RunningSums()]));
  for (const { address, height, change } of rows) changes.get(address)?.add(BigInt(height), BigInt(change));
  return changes;
}
