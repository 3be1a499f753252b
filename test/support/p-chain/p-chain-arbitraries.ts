import fc from 'fast-check';
import type { Block, BlockType } from '../../../src/avalanche/platformvm/block.js';
import type { BlockFields } from '../../../src/avalanche/platformvm/codec/block.js';
import type { Envelope } from '../../../src/avalanche/platformvm/codec/proposervm.js';
import { packTransaction, transactionId } from '../../../src/avalanche/platformvm/codec/transaction.js';
import type { Utxo } from '../../../src/avalanche/platformvm/codec/utxo.js';
import type {
  Output,
  OutputOwners,
  PChainOwner,
  TransferableInput,
  TransferableOutput,
} from '../../../src/avalanche/platformvm/output.js';
import type {
  BaseFields,
  ConvertSubnetToL1Validator,
  Credential,
  ProofOfPossession,
  SubnetAuth,
  Transaction,
  TxOf,
  TxType,
  UnsignedTx,
} from '../../../src/avalanche/platformvm/transaction.js';
import { toHex } from '../../../src/avalanche/ids/hex.js';
import { field } from '../codec-properties.js';

/** Random values of everything that the P-chain's codec carries: well-formed, not meaningful. */

const { uint32, uint64, blob } = field;
const id = field.id.map(toHex);
const shortId = field.nodeId.map(toHex);
const few = <T>(element: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.array(element, { maxLength: 3 });
const lock = fc.option(uint64, { nil: null });

export const owners: fc.Arbitrary<OutputOwners> = fc.record({
  locktime: uint64,
  threshold: uint32,
  addresses: few(shortId),
});
const pChainOwner: fc.Arbitrary<PChainOwner> = fc.record({ threshold: uint32, addresses: few(shortId) });
const subnetAuth: fc.Arbitrary<SubnetAuth> = fc.record({ signatureIndices: few(uint32) });
const pop: fc.Arbitrary<ProofOfPossession> = fc.record({
  publicKey: field.bytes(48),
  proofOfPossession: field.bytes(96),
});
const signer = fc.option(pop, { nil: null });

const output: fc.Arbitrary<Output> = fc.record({ amount: uint64, stakeableLocktime: lock, owners });
export const transferableOutput: fc.Arbitrary<TransferableOutput> = fc.record({
  assetId: id,
  amount: uint64,
  stakeableLocktime: lock,
  owners,
});
export const input: fc.Arbitrary<TransferableInput> = fc.record({
  txId: id,
  outputIndex: uint32,
  assetId: id,
  amount: uint64,
  stakeableLocktime: lock,
  signatureIndices: few(uint32),
});

export const anyUtxo: fc.Arbitrary<Utxo> = fc.record({ txId: id, outputIndex: uint32, assetId: id, output });

export const base: { [K in keyof BaseFields]: fc.Arbitrary<BaseFields[K]> } = {
  networkId: uint32,
  blockchainId: id,
  outputs: few(transferableOutput),
  inputs: few(input),
  memo: blob(40),
};
const validator: fc.Arbitrary<TxOf<'AddValidator'>['validator']> = fc.record({
  nodeId: shortId,
  start: uint64,
  end: uint64,
  weight: uint64,
});
const l1Validator: fc.Arbitrary<ConvertSubnetToL1Validator> = fc.record({
  nodeId: blob(24).map(toHex),
  weight: uint64,
  balance: uint64,
  signer: pop,
  remainingBalanceOwner: pChainOwner,
  deactivationOwner: pChainOwner,
});
const stake = few(transferableOutput);

/** One arbitrary per type, so that none can be forgotten. */
export const anyUnsignedTx: {
  readonly [T in UnsignedTx as T['type']]: fc.Arbitrary<T>;
} = {
  AddValidator: fc.record({
    type: fc.constant('AddValidator'),
    ...base,
    validator,
    stake,
    rewardsOwner: owners,
    shares: uint32,
  }),
  AddSubnetValidator: fc.record({
    type: fc.constant('AddSubnetValidator'),
    ...base,
    validator,
    subnetId: id,
    subnetAuth,
  }),
  AddDelegator: fc.record({
    type: fc.constant('AddDelegator'),
    ...base,
    validator,
    stake,
    rewardsOwner: owners,
  }),
  CreateChain: fc.record({
    type: fc.constant('CreateChain'),
    ...base,
    subnetId: id,
    chainName: fc.string({ unit: 'grapheme', maxLength: 20 }),
    vmId: id,
    fxIds: few(id),
    genesisData: blob(60),
    subnetAuth,
  }),
  CreateSubnet: fc.record({ type: fc.constant('CreateSubnet'), ...base, owner: owners }),
  Import: fc.record({ type: fc.constant('Import'), ...base, sourceChain: id, importedInputs: few(input) }),
  Export: fc.record({
    type: fc.constant('Export'),
    ...base,
    destinationChain: id,
    exportedOutputs: few(transferableOutput),
  }),
  AdvanceTime: fc.record({ type: fc.constant('AdvanceTime'), time: uint64 }),
  RewardValidator: fc.record({ type: fc.constant('RewardValidator'), stakerTxId: id }),
  RemoveSubnetValidator: fc.record({
    type: fc.constant('RemoveSubnetValidator'),
    ...base,
    nodeId: shortId,
    subnetId: id,
    subnetAuth,
  }),
  TransformSubnet: fc.record({
    type: fc.constant('TransformSubnet'),
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
    maxValidatorWeightFactor: fc.nat({ max: 255 }),
    uptimeRequirement: uint32,
    subnetAuth,
  }),
  AddPermissionlessValidator: fc.record({
    type: fc.constant('AddPermissionlessValidator'),
    ...base,
    validator,
    subnetId: id,
    signer,
    stake,
    validationRewardsOwner: owners,
    delegationRewardsOwner: owners,
    shares: uint32,
  }),
  AddPermissionlessDelegator: fc.record({
    type: fc.constant('AddPermissionlessDelegator'),
    ...base,
    validator,
    subnetId: id,
    stake,
    rewardsOwner: owners,
  }),
  TransferSubnetOwnership: fc.record({
    type: fc.constant('TransferSubnetOwnership'),
    ...base,
    subnetId: id,
    subnetAuth,
    owner: owners,
  }),
  Base: fc.record({ type: fc.constant('Base'), ...base }),
  ConvertSubnetToL1: fc.record({
    type: fc.constant('ConvertSubnetToL1'),
    ...base,
    subnetId: id,
    managerChainId: id,
    managerAddress: blob(24),
    validators: few(l1Validator),
    subnetAuth,
  }),
  RegisterL1Validator: fc.record({
    type: fc.constant('RegisterL1Validator'),
    ...base,
    balance: uint64,
    proofOfPossession: field.bytes(96),
    message: blob(60),
  }),
  SetL1ValidatorWeight: fc.record({
    type: fc.constant('SetL1ValidatorWeight'),
    ...base,
    message: blob(60),
  }),
  IncreaseL1ValidatorBalance: fc.record({
    type: fc.constant('IncreaseL1ValidatorBalance'),
    ...base,
    validationId: id,
    balance: uint64,
  }),
  DisableL1Validator: fc.record({
    type: fc.constant('DisableL1Validator'),
    ...base,
    validationId: id,
    disableAuth: subnetAuth,
  }),
  AddAutoRenewedValidator: fc.record({
    type: fc.constant('AddAutoRenewedValidator'),
    ...base,
    nodeId: blob(24).map(toHex),
    signer,
    stake,
    validationRewardsOwner: owners,
    delegationRewardsOwner: owners,
    validatorAuthority: owners,
    shares: uint32,
    autoCompoundShares: uint32,
    period: uint64,
  }),
  SetAutoRenewedValidatorConfig: fc.record({
    type: fc.constant('SetAutoRenewedValidatorConfig'),
    ...base,
    stakerTxId: id,
    auth: subnetAuth,
    autoCompoundShares: uint32,
    period: uint64,
  }),
  RewardAutoRenewedValidator: fc.record({
    type: fc.constant('RewardAutoRenewedValidator'),
    stakerTxId: id,
    timestamp: uint64,
  }),
};

export const credential: fc.Arbitrary<Credential> = fc.record({ signatures: few(field.bytes(65)) });

/** A signed transaction of the type, with the id that it has. */
export function anyTransactionOf(type: TxType): fc.Arbitrary<Transaction> {
  const unsigned: fc.Arbitrary<UnsignedTx> = anyUnsignedTx[type];
  return fc
    .record({ unsigned, credentials: few(credential) })
    .map((signed) => ({ id: transactionId(packTransaction(signed)), ...signed }));
}

export const anyTransaction: fc.Arbitrary<Transaction> = fc.oneof(
  ...Object.keys(anyUnsignedTx).map((type) => anyTransactionOf(type as TxType)),
);

const common = { parentId: id, height: uint64 };
const transactions = few(anyTransaction);

export const anyBlock: { readonly [K in BlockType]: fc.Arbitrary<BlockFields> } = {
  ApricotProposal: fc.record({
    type: fc.constant('ApricotProposal'),
    ...common,
    transaction: anyTransaction,
  }),
  ApricotAbort: fc.record({ type: fc.constant('ApricotAbort'), ...common }),
  ApricotCommit: fc.record({ type: fc.constant('ApricotCommit'), ...common }),
  ApricotStandard: fc.record({ type: fc.constant('ApricotStandard'), ...common, transactions }),
  ApricotAtomic: fc.record({ type: fc.constant('ApricotAtomic'), ...common, transaction: anyTransaction }),
  BanffProposal: fc.record({
    type: fc.constant('BanffProposal'),
    time: uint64,
    ...common,
    transactions,
    transaction: anyTransaction,
  }),
  BanffAbort: fc.record({ type: fc.constant('BanffAbort'), time: uint64, ...common }),
  BanffCommit: fc.record({ type: fc.constant('BanffCommit'), time: uint64, ...common }),
  BanffStandard: fc.record({ type: fc.constant('BanffStandard'), time: uint64, ...common, transactions }),
};

const inner = fc.uint8Array({ minLength: 1, maxLength: 60 });

export const anyEnvelope: fc.Arbitrary<Envelope> = fc.oneof(
  fc.record({ type: fc.constant('option' as const), parentId: id, inner }),
  fc.record({
    type: fc.constant('block' as const),
    parentId: id,
    timestamp: uint64,
    pChainHeight: uint64,
    certificate: blob(40),
    inner,
    epoch: fc.option(fc.record({ pChainHeight: uint64, number: uint64, startTime: uint64 }), { nil: null }),
    signature: blob(40),
  }),
);

/** Types of blocks and transactions, for tables of tests. */
export const BLOCK_TYPES = Object.keys(anyBlock) as Block['type'][];
export const TX_TYPES = Object.keys(anyUnsignedTx) as TxType[];
