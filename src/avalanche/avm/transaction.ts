import type { AvmUnsignedTx } from './codec/transaction.js';

export type {
  AssetOperation,
  AvmCredential,
  AvmOperation,
  AvmTransaction,
  AvmUnsignedTx,
  InitialState,
  UtxoRef,
} from './codec/transaction.js';

export type AvmTxType = AvmUnsignedTx['type'];
export type AvmTxOf<Type extends AvmTxType> = Extract<AvmUnsignedTx, { readonly type: Type }>;
