import type { Packer } from '../../codec/packer.js';
import {
  TX_TYPE_IDS,
  type BaseFields,
  type ConvertSubnetToL1Validator,
  type TxType,
  type UnsignedTx,
  type ValidatorWindow,
} from '../transaction.js';
import {
  bytes,
  constant,
  fixedBytes,
  hexBytes,
  id,
  list,
  shortId,
  struct,
  text,
  uint32,
  uint64,
  uint8,
  unknownTypeId,
  type Field,
  type Fields,
} from './field.js';
import {
  BLS_SIGNATURE_BYTES,
  outputOwners,
  pChainOwner,
  proofOfPossession,
  signer,
  subnetAuth,
  transferableInput,
  transferableOutput,
} from './fields.js';

type TxByType = { readonly [T in UnsignedTx as T['type']]: T };

/** avalanchego v1.14.2 vms/components/avax/base_tx.go. */
const base: Fields<BaseFields> = {
  networkId: uint32,
  blockchainId: id,
  outputs: list(transferableOutput),
  inputs: list(transferableInput),
  memo: bytes,
};

const validator = struct<ValidatorWindow>({ nodeId: shortId, start: uint64, end: uint64, weight: uint64 });
const stake = list(transferableOutput);

const l1Validator = struct<ConvertSubnetToL1Validator>({
  nodeId: hexBytes,
  weight: uint64,
  balance: uint64,
  signer: proofOfPossession,
  remainingBalanceOwner: pChainOwner,
  deactivationOwner: pChainOwner,
});

/**
 * The fields of every transaction in the order of the bytes (avalanchego v1.14.2 vms/platformvm/txs/*_tx.go).
 * The three of auto-renewed validators are those of avalanchego v1.15.0.
 */
const BODIES: { readonly [K in TxType]: Field<TxByType[K]> } = {
  AddValidator: struct<TxByType['AddValidator']>({
    type: constant('AddValidator'),
    ...base,
    validator,
    stake,
    rewardsOwner: outputOwners,
    shares: uint32,
  }),
  AddSubnetValidator: struct<TxByType['AddSubnetValidator']>({
    type: constant('AddSubnetValidator'),
    ...base,
    validator,
    subnetId: id,
    subnetAuth,
  }),
  AddDelegator: struct<TxByType['AddDelegator']>({
    type: constant('AddDelegator'),
    ...base,
    validator,
    stake,
    rewardsOwner: outputOwners,
  }),
  CreateChain: struct<TxByType['CreateChain']>({
    type: constant('CreateChain'),
    ...base,
    subnetId: id,
    chainName: text,
    vmId: id,
    fxIds: list(id),
    genesisData: bytes,
    subnetAuth,
  }),
  CreateSubnet: struct<TxByType['CreateSubnet']>({
    type: constant('CreateSubnet'),
    ...base,
    owner: outputOwners,
  }),
  Import: struct<TxByType['Import']>({
    type: constant('Import'),
    ...base,
    sourceChain: id,
    importedInputs: list(transferableInput),
  }),
  Export: struct<TxByType['Export']>({
    type: constant('Export'),
    ...base,
    destinationChain: id,
    exportedOutputs: list(transferableOutput),
  }),
  AdvanceTime: struct<TxByType['AdvanceTime']>({ type: constant('AdvanceTime'), time: uint64 }),
  RewardValidator: struct<TxByType['RewardValidator']>({
    type: constant('RewardValidator'),
    stakerTxId: id,
  }),
  RemoveSubnetValidator: struct<TxByType['RemoveSubnetValidator']>({
    type: constant('RemoveSubnetValidator'),
    ...base,
    nodeId: shortId,
    subnetId: id,
    subnetAuth,
  }),
  TransformSubnet: struct<TxByType['TransformSubnet']>({
    type: constant('TransformSubnet'),
    ...base,
    subnetId: id,
    assetId: id,
    initialSupply: uint64,
    maximumSupply: uint64,
    minConsumptionRate: uint64,
    maxConsumptionRate: uint64,
    minValidatorStake: uint64,
    maxValidatorStake: uint64,
    minStakeDuration: uint32,
    maxStakeDuration: uint32,
    minDelegationFee: uint32,
    minDelegatorStake: uint64,
    maxValidatorWeightFactor: uint8,
    uptimeRequirement: uint32,
    subnetAuth,
  }),
  AddPermissionlessValidator: struct<TxByType['AddPermissionlessValidator']>({
    type: constant('AddPermissionlessValidator'),
    ...base,
    validator,
    subnetId: id,
    signer,
    stake,
    validationRewardsOwner: outputOwners,
    delegationRewardsOwner: outputOwners,
    shares: uint32,
  }),
  AddPermissionlessDelegator: struct<TxByType['AddPermissionlessDelegator']>({
    type: constant('AddPermissionlessDelegator'),
    ...base,
    validator,
    subnetId: id,
    stake,
    rewardsOwner: outputOwners,
  }),
  TransferSubnetOwnership: struct<TxByType['TransferSubnetOwnership']>({
    type: constant('TransferSubnetOwnership'),
    ...base,
    subnetId: id,
    subnetAuth,
    owner: outputOwners,
  }),
  Base: struct<TxByType['Base']>({ type: constant('Base'), ...base }),
  ConvertSubnetToL1: struct<TxByType['ConvertSubnetToL1']>({
    type: constant('ConvertSubnetToL1'),
    ...base,
    subnetId: id,
    managerChainId: id,
    managerAddress: bytes,
    validators: list(l1Validator),
    subnetAuth,
  }),
  RegisterL1Validator: struct<TxByType['RegisterL1Validator']>({
    type: constant('RegisterL1Validator'),
    ...base,
    balance: uint64,
    proofOfPossession: fixedBytes(BLS_SIGNATURE_BYTES),
    message: bytes,
  }),
  SetL1ValidatorWeight: struct<TxByType['SetL1ValidatorWeight']>({
    type: constant('SetL1ValidatorWeight'),
    ...base,
    message: bytes,
  }),
  IncreaseL1ValidatorBalance: struct<TxByType['IncreaseL1ValidatorBalance']>({
    type: constant('IncreaseL1ValidatorBalance'),
    ...base,
    validationId: id,
    balance: uint64,
  }),
  DisableL1Validator: struct<TxByType['DisableL1Validator']>({
    type: constant('DisableL1Validator'),
    ...base,
    validationId: id,
    disableAuth: subnetAuth,
  }),
  AddAutoRenewedValidator: struct<TxByType['AddAutoRenewedValidator']>({
    type: constant('AddAutoRenewedValidator'),
    ...base,
    nodeId: hexBytes, // a slice, unlike in every other staking transaction
    signer,
    stake,
    validationRewardsOwner: outputOwners,
    delegationRewardsOwner: outputOwners,
    validatorAuthority: outputOwners,
    shares: uint32,
    autoCompoundShares: uint32,
    period: uint64,
  }),
  SetAutoRenewedValidatorConfig: struct<TxByType['SetAutoRenewedValidatorConfig']>({
    type: constant('SetAutoRenewedValidatorConfig'),
    ...base,
    stakerTxId: id,
    auth: subnetAuth,
    autoCompoundShares: uint32,
    period: uint64,
  }),
  RewardAutoRenewedValidator: struct<TxByType['RewardAutoRenewedValidator']>({
    type: constant('RewardAutoRenewedValidator'),
    stakerTxId: id,
    timestamp: uint64,
  }),
};

const BY_TYPE_ID: ReadonlyMap<number, Field<UnsignedTx>> = new Map(
  Object.entries(TX_TYPE_IDS).map(([type, typeId]) => [typeId, BODIES[type as TxType] as Field<UnsignedTx>]),
);

/** uint32 type id and the fields. */
export const unsignedTransaction: Field<UnsignedTx> = {
  minBytes: 4,
  unpack: (unpacker) => {
    const { offset } = unpacker;
    const typeId = unpacker.unpackInt();
    const body = BY_TYPE_ID.get(typeId);
    if (!body) throw unknownTypeId('transaction', typeId, offset);
    return body.unpack(unpacker);
  },
  pack: (packer, value) => packBody(packer.packInt(TX_TYPE_IDS[value.type]), value.type, value),
};

function packBody<K extends TxType>(packer: Packer, type: K, value: TxByType[K]): void {
  BODIES[type].pack(packer, value);
}
