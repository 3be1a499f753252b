import type { Id } from '../../avalanche/platformvm/ids.js';
import type { StateChanges } from '../../avalanche/platformvm/state/changes.js';
import type { Transaction } from '../../platform/database/database.js';

/** The effect of blocks on the amount of AVAX, in nAVAX. Kept as sums, because all UTXOs cannot be added up every few minutes. */
export interface PChainTotals {
  /** The amounts of spent outputs less those of the outputs that the spenders created: fees, and balances of L1 validators. */
  readonly spent: bigint;
  /** In outputs that reward stakers. */
  readonly rewarded: bigint;
  /** Fees of transactions. */
  readonly burned: bigint;
}

/** Of the genesis, which makes its outputs from nothing. */
export const NOTHING: PChainTotals = { spent: 0n, rewarded: 0n, burned: 0n };

/** Of a run of blocks. */
export function totalsOf(changes: StateChanges, avaxAssetId: Id): PChainTotals {
  let [spent, rewarded, burned] = [0n, 0n, 0n];
  for (const { assetId, amount } of changes.consumedUtxos) if (assetId === avaxAssetId) spent += amount;
  for (const { assetId, output, rewardType } of changes.createdUtxos) {
    if (assetId !== avaxAssetId) continue;
    if (rewardType === null) spent -= output.amount;
    else rewarded += output.amount;
  }
  for (const transaction of changes.transactions.values()) burned += transaction.burned;
  return { spent, rewarded, burned };
}

export async function addTotals(
  transaction: Transaction,
  network: string,
  { spent, rewarded, burned }: PChainTotals,
): Promise<void> {
  await transaction.execute({
    text: `INSERT INTO p_chain_totals AS known (network, spent, rewarded, burned) VALUES ($1, $2, $3, $4)
      ON CONFLICT (network) DO UPDATE SET spent = known.spent + EXCLUDED.spent, rewarded = known.rewarded + EXCLUDED.rewarded,
        burned = known.burned + EXCLUDED.burned`,
    values: [network, spent, rewarded, burned],
  });
}
