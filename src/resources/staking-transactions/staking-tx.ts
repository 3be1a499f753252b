import type { Id } from '../../avalanche/platformvm/ids.js';
import type { TransferableOutput } from '../../avalanche/platformvm/output.js';
import type { StakingTransaction } from '../../avalanche/platformvm/state/records.js';
import type { StakerTx } from '../../avalanche/platformvm/transaction.js';
import { utxoId } from '../../avalanche/platformvm/utxo-id.js';

/** A listed transaction, read from its bytes. */
export type StakingTx = StakingTransaction;

/** Of those that it spent, hex. */
export function consumedIds({ unsigned }: StakingTx): Id[] {
  return unsigned.inputs.map(({ txId, outputIndex }) => utxoId(txId, outputIndex));
}

/** Of its outputs and, behind them, its stake; rewards that are paid under its id later are not its own. */
export function emittedIds({ txId, unsigned }: StakingTx): Id[] {
  return emittedBy(unsigned).map((_, outputIndex) => utxoId(txId, outputIndex));
}

export function emittedBy(tx: StakerTx): readonly TransferableOutput[] {
  return [...tx.outputs, ...stakeOf(tx)];
}

/** A permissioned validator stakes nothing. */
export function stakeOf(tx: StakerTx): readonly TransferableOutput[] {
  return 'stake' in tx ? tx.stake : [];
}

/** As many from the first on as have so many UTXOs together, and at least one. */
export function cutAt(maxUtxos: number, transactions: readonly StakingTx[]): StakingTx[] {
  let count = 0;
  return transactions.filter(({ unsigned }, index) => {
    count += unsigned.inputs.length + emittedBy(unsigned).length;
    return index === 0 || count <= maxUtxos;
  });
}

export function assetsIn({ unsigned }: StakingTx): Id[] {
  return [...unsigned.inputs, ...emittedBy(unsigned)].map(({ assetId }) => assetId);
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
