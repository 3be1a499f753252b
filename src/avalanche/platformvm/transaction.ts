import type { ValueOf } from './codec/field.js';
import type { Credential } from './codec/fields.js';
import type { unsignedTransaction } from './codec/unsigned-transaction.js';
import type { Id } from './ids.js';

export type { Credential, ProofOfPossession, SubnetAuth } from './codec/fields.js';
export type { BaseFields, ConvertSubnetToL1Validator } from './codec/unsigned-transaction.js';

export type UnsignedTx = ValueOf<typeof unsignedTransaction>;
export type TxType = UnsignedTx['type'];
export type TxOf<Type extends TxType> = Extract<UnsignedTx, { readonly type: Type }>;

/** A signed transaction with its id, which is sha256 of the codec version and the signed bytes. */
export interface Transaction {
  readonly id: Id;
  readonly unsigned: UnsignedTx;
  readonly credentials: readonly Credential[];
}
