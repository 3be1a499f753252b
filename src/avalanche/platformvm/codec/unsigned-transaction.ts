import {
  bytes,
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
  variants,
  type StructOf,
  type ValueOf,
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

/** avalanchego v1.14.2 vms/components/avax/base_tx.go. */
const base = {
  networkId: uint32,
  blockchainId: id,
  outputs: list(transferableOutput),
  inputs: list(transferableInput),
  memo: bytes,
};

/** Fields that most transactions begin with: where they are valid and what they move. */
export type BaseFields = StructOf<typeof base>;

/** The window as the transaction names it, UNIX seconds. Since Durango `start` is ignored and may be anything. */
const validator = struct({ nodeId: shortId, start: uint64, end: uint64, weight: uint64 });
const stake = list(transferableOutput);

const l1Validator = struct({
  nodeId: hexBytes, // 20 bytes where the P-chain accepted it; a slice on the wire
  weight: uint64,
  balance: uint64,
  signer: proofOfPossession,
  remainingBalanceOwner: pChainOwner,
  deactivationOwner: pChainOwner,
});

export type ConvertSubnetToL1Validator = ValueOf<typeof l1Validator>;

/** ACP-191 has no number yet; 43 is the codec's next. */
const TRANSACTION = { name: 'transaction', drafts: new Map([[43, 'CreateL1Tx (ACP-191)']]) };

/**
 * Every transaction without its credentials: the type id (avalanchego v1.15.0 vms/platformvm/txs/codec.go; 40 to 42 since Helicon) and
 * the fields in the order of the bytes (vms/platformvm/txs/*_tx.go). Times are UNIX seconds; shares, rates and fees millionths.
 */
export const unsignedTransaction = variants(TRANSACTION, {
  AddValidator: [12, { ...base, validator, stake, rewardsOwner: outputOwners, shares: uint32 }],
  AddSubnetValidator: [13, { ...base, validator, subnetId: id, subnetAuth }],
  AddDelegator: [14, { ...base, validator, stake, rewardsOwner: outputOwners }],
  CreateChain: [
    15,
    { ...base, subnetId: id, chainName: text, vmId: id, fxIds: list(id), genesisData: bytes, subnetAuth },
  ],
  CreateSubnet: [16, { ...base, owner: outputOwners }],
  Import: [17, { ...base, sourceChain: id, importedInputs: list(transferableInput) }],
  Export: [18, { ...base, destinationChain: id, exportedOutputs: list(transferableOutput) }],
  AdvanceTime: [19, { time: uint64 }],
  RewardValidator: [20, { stakerTxId: id }],
  RemoveSubnetValidator: [23, { ...base, nodeId: shortId, subnetId: id, subnetAuth }],
  TransformSubnet: [
    24,
    {
      ...base,
      subnetId: id,
      assetId: id,
      initialSupply: uint64,
      maximumSupply: uint64,
      minConsumptionRate: uint64, // per year
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
    },
  ],
  AddPermissionlessValidator: [
    25,
    {
      ...base,
      validator,
      subnetId: id,
      signer,
      stake,
      validationRewardsOwner: outputOwners,
      delegationRewardsOwner: outputOwners,
      shares: uint32,
    },
  ],
  AddPermissionlessDelegator: [26, { ...base, validator, subnetId: id, stake, rewardsOwner: outputOwners }],
  TransferSubnetOwnership: [33, { ...base, subnetId: id, subnetAuth, owner: outputOwners }],
  Base: [34, { ...base }],
  ConvertSubnetToL1: [
    35,
    {
      ...base,
      subnetId: id,
      managerChainId: id,
      managerAddress: bytes,
      validators: list(l1Validator),
      subnetAuth,
    },
  ],
  RegisterL1Validator: [
    36,
    {
      ...base,
      balance: uint64,
      proofOfPossession: fixedBytes(BLS_SIGNATURE_BYTES),
      message: bytes, // a signed Warp message
    },
  ],
  SetL1ValidatorWeight: [
    37,
    {
      ...base,
      message: bytes, // a signed Warp message
    },
  ],
  IncreaseL1ValidatorBalance: [38, { ...base, validationId: id, balance: uint64 }],
  DisableL1Validator: [39, { ...base, validationId: id, disableAuth: subnetAuth }],
  AddAutoRenewedValidator: [
    40,
    {
      ...base,
      nodeId: hexBytes, // a slice, unlike in every other staking transaction
      signer,
      stake,
      validationRewardsOwner: outputOwners,
      delegationRewardsOwner: outputOwners,
      validatorAuthority: outputOwners,
      shares: uint32,
      autoCompoundShares: uint32, // of the reward: what is staked again
      period: uint64, // seconds per cycle
    },
  ],
  SetAutoRenewedValidatorConfig: [
    41,
    {
      ...base,
      stakerTxId: id,
      auth: subnetAuth,
      autoCompoundShares: uint32,
      period: uint64, // from the next cycle on; 0 leaves at the end of this one
    },
  ],
  RewardAutoRenewedValidator: [42, { stakerTxId: id, timestamp: uint64 }],
});
