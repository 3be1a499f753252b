import type { Id } from '../../avalanche/platformvm/ids.js';
import type { StakingTransaction } from '../../avalanche/platformvm/state/records.js';
import { allOutputsOf } from '../../avalanche/platformvm/transaction.js';
import { madeIds, spentIds } from '../../avalanche/platformvm/utxo-id.js';

/** How many it has spent and made. */
export function utxosIn({ unsigned }: StakingTransaction): number {
  return unsigned.inputs.length + allOutputsOf(unsigned).length;
}

/** Ids of the UTXOs that it has spent and made. */
export function utxoIdsOf({ txId, unsigned }: StakingTransaction): { consumed: Id[]; emitted: Id[] } {
  return { consumed: spentIds(unsigned.inputs), emitted: madeIds(txId, allOutputsOf(unsigned)) };
}

export function assetsIn({ unsigned }: StakingTransaction): Id[] {
  return [...unsigned.inputs, ...allOutputsOf(unsigned)].map(({ assetId }) => assetId);
}

/** Sums by asset, of which there is something: the genesis makes outputs of nothing. */
export function sumsOf(
  ...terms: readonly {
    readonly of: readonly { readonly assetId: Id; readonly amount: bigint }[];
    readonly sign: 1n | -1n;
  }[]
): { assetId: Id; amount: bigint }[] {
  const sums = new Map<Id, bigint>();
  for (const { of, sign } of terms) {
    for (const { assetId, amount } of of) sums.set(assetId, (sums.get(assetId) ?? 0n) + sign * amount);
  }
  return [...sums].map(([assetId, amount]) => ({ assetId, amount })).filter(({ amount }) => amount > 0n);
}
