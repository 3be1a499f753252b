import type { Id } from '../../platformvm/ids.js';
import type { ConsumedUtxo, CreatedUtxo } from '../../platformvm/state/records.js';
import type { AvmOutput } from '../output.js';
import type { AvmTxType } from '../transaction.js';

/** Where on the X-chain something happened. */
export interface AvmMoment {
  readonly blockHeight: bigint;
  /** UNIX seconds. */
  readonly blockTime: number;
}

/** An output that came into being on the X-chain, or left it by an export. */
export interface CreatedAvmUtxo extends Omit<CreatedUtxo, 'output' | 'stake' | 'rewardType'> {
  readonly output: AvmOutput;
}

/** An output that was spent on the X-chain. */
export interface ConsumedAvmUtxo extends Omit<ConsumedUtxo, 'amount'> {
  /** Null of what an operation consumes: it names no amount. */
  readonly amount: bigint | null;
}

export interface CreatedAsset {
  /** Id of the transaction that made it. */
  readonly assetId: Id;
  readonly name: string;
  readonly symbol: string;
  readonly denomination: number;
}

export interface AvmTransactionRecord extends AvmMoment {
  readonly txId: Id;
  readonly type: AvmTxType;
  /** nAVAX that went in and came out nowhere. */
  readonly burned: bigint;
  /** nAVAX of all inputs, those of an import included. */
  readonly avaxSpent: bigint;
}

/** Changes of blocks, in order. Created and then consumed stands in both lists. */
export interface AvmChanges {
  readonly createdUtxos: readonly CreatedAvmUtxo[];
  readonly consumedUtxos: readonly ConsumedAvmUtxo[];
  readonly assets: readonly CreatedAsset[];
  readonly transactions: readonly AvmTransactionRecord[];
}
