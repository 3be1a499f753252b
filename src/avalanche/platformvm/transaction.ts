import type { ValueOf } from './codec/field.js';
import type { Credential } from './codec/fields.js';
import type { unsignedTransaction } from './codec/unsigned-transaction.js';
import type { Id } from './ids.js';
import type { OutputOwners, TransferableOutput } from './output.js';

export type { Credential, ProofOfPossession, SubnetAuth } from './codec/fields.js';
export type { BaseFields, ConvertSubnetToL1Validator } from './codec/unsigned-transaction.js';

export type UnsignedTx = ValueOf<typeof unsignedTransaction>;
export type TxType = UnsignedTx['type'];
export type TxOf<Type extends TxType> = Extract<UnsignedTx, { readonly type: Type }>;

/** Of the transactions that make a validator, but not of an L1, or a delegator. */
export const VALIDATOR_TX_TYPES = [
  'AddValidator',
  'AddSubnetValidator',
  'AddPermissionlessValidator',
  'AddAutoRenewedValidator',
] as const satisfies readonly TxType[];
const DELEGATOR_TX_TYPES = [
  'AddDelegator',
  'AddPermissionlessDelegator',
] as const satisfies readonly TxType[];
export const STAKER_TX_TYPES = [...VALIDATOR_TX_TYPES, ...DELEGATOR_TX_TYPES] as const;

export type ValidatorTx = TxOf<(typeof VALIDATOR_TX_TYPES)[number]>;
export type DelegatorTx = TxOf<(typeof DELEGATOR_TX_TYPES)[number]>;
export type StakerTx = ValidatorTx | DelegatorTx;

export function isStakerTx(tx: UnsignedTx): tx is StakerTx {
  return STAKER_TX_TYPES.some((type) => type === tx.type);
}

/** Of a stake's rewards: its own, then those of delegations to it. */
export function rewardOwnersOf(tx: StakerTx): OutputOwners[] {
  if ('rewardsOwner' in tx) return [tx.rewardsOwner];
  return 'validationRewardsOwner' in tx ? [tx.validationRewardsOwner, tx.delegationRewardsOwner] : [];
}

/** A permissioned validator stakes nothing. */
export function stakeOf(tx: StakerTx): readonly TransferableOutput[] {
  return 'stake' in tx ? tx.stake : [];
}

/** Its outputs and, behind them, its stake: the index of each is that of its UTXO. */
export function allOutputsOf(tx: StakerTx): readonly TransferableOutput[] {
  return [...tx.outputs, ...stakeOf(tx)];
}

/** A signed transaction with its id, which is sha256 of the codec version and the signed bytes. */
export interface Transaction {
  readonly id: Id;
  readonly unsigned: UnsignedTx;
  readonly credentials: readonly Credential[];
}
