import type { Address } from '../../avalanche/evm/rpc/hex-values.js';
import type { Database } from '../../platform/database/database.js';
import { balanceChangesQuery, MOVEMENT_QUERY_SETTINGS, type MovementQuery } from '../rows/movement-query.js';

/** It reads no more rows than a COPY of them. */
const TIMEOUT_MS = 300_000;

/** By how much the rows of the tables change the balances of accounts, from one height on. */
export class RecordedChanges {
  /** Heights ascending, and the sums up to each of them. */
  private readonly sums = new Map<Address, { readonly height: bigint; readonly sum: bigint }[]>();

  static async read(database: Database, query: MovementQuery): Promise<RecordedChanges> {
    const rows = await database.transaction(
      async (transaction) => {
        await transaction.set(MOVEMENT_QUERY_SETTINGS);
        return transaction.query<{ address: Address; height: string; change: string }>({
          text: balanceChangesQuery(query),
          values: [],
        });
      },
      { statementTimeoutMs: TIMEOUT_MS },
    );
    const changes = new RecordedChanges();
    for (const { address, height, change } of rows) changes.add(address, BigInt(height), BigInt(change));
    return changes;
  }

  private add(address: Address, height: bigint, change: bigint): void {
    const known = this.sums.get(address) ?? [];
    this.sums.set(address, known);
    known.push({ height, sum: (known.at(-1)?.sum ?? 0n) + change });
  }

  /** In raw units, the block of the height included. */
  upTo(address: Address, height: bigint): bigint {
    const sums = this.sums.get(address) ?? [];
    let [low, high] = [0, sums.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sums[middle]?.height ?? height) <= height) low = middle + 1;
      else high = middle;
    }
    return sums[low - 1]?.sum ?? 0n;
  }
}
