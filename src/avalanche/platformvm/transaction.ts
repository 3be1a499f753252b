import type { Id, ShortId } from './ids.js';
import type { OutputOwners, PChainOwner, TransferableInput, TransferableOutput } from './output.js';

/** Type ids of the P-chain's codec for transactions (avalanchego v1.15.0 vms/platformvm/txs/codec.go); 40 to 42 since Helicon. */
export const TX_TYPE_IDS = {
  AddValidator: 12,
  AddSubnetValidator: 13,
  AddDelegator: 14,
  CreateChain: 15,
  CreateSubnet: 16,
  Import: 17,
  Export: 18,
  AdvanceTime: 19,
  RewardValidator: 20,
  RemoveSubnetValidator: 23,
  TransformSubnet: 24,
  AddPermissionlessValidator: 25,
  AddPermissionlessDelegator: 26,
  TransferSubnetOwnership: 33,
  Base: 34,
  ConvertSubnetToL1: 35,
  RegisterL1Validator: 36,
  SetL1ValidatorWeight: 37,
  IncreaseL1ValidatorBalance: 38,
  DisableL1Validator: 39,
  AddAutoRenewedValidator: 40,
  SetAutoRenewedValidatorConfig: 41,
  RewardAutoRenewedValidator: 42,
} as const;

export type TxType = keyof typeof TX_TYPE_IDS;

/** What most transactions have in front: where they are valid and what they move. */
export interface BaseFields {
  readonly networkId: number;
  readonly blockchainId: Id;
  readonly outputs: readonly TransferableOutput[];
  readonly inputs: readonly TransferableInput[];
  readonly memo: Uint8Array;
}

/** The window as the transaction names it, UNIX seconds. Since Durango `start` is ignored and may be anything. */
export interface ValidatorWindow {
  readonly nodeId: ShortId;
  readonly start: bigint;
  readonly end: bigint;
  readonly weight: bigint;
}

/** secp256k1fx.Input: which of the owners signed. */
export interface SubnetAuth {
  readonly signatureIndices: readonly number[];
}

/** A BLS public key (48 bytes) and the proof that its owner has the secret key (96 bytes). */
export interface ProofOfPossession {
  readonly publicKey: Uint8Array;
  readonly proofOfPossession: Uint8Array;
}

export interface AddValidatorTx extends BaseFields {
  readonly type: 'AddValidator';
  readonly validator: ValidatorWindow;
  readonly stake: readonly TransferableOutput[];
  readonly rewardsOwner: OutputOwners;
  /** Fee for delegations in millionths. */
  readonly shares: number;
}

export interface AddDelegatorTx extends BaseFields {
  readonly type: 'AddDelegator';
  readonly validator: ValidatorWindow;
  readonly stake: readonly TransferableOutput[];
  readonly rewardsOwner: OutputOwners;
}

export interface AddSubnetValidatorTx extends BaseFields {
  readonly type: 'AddSubnetValidator';
  readonly validator: ValidatorWindow;
  readonly subnetId: Id;
  readonly subnetAuth: SubnetAuth;
}

export interface AddPermissionlessValidatorTx extends BaseFields {
  readonly type: 'AddPermissionlessValidator';
  readonly validator: ValidatorWindow;
  readonly subnetId: Id;
  /** Null: signer.Empty, as validators of elastic subnets have it. */
  readonly signer: ProofOfPossession | null;
  readonly stake: readonly TransferableOutput[];
  readonly validationRewardsOwner: OutputOwners;
  readonly delegationRewardsOwner: OutputOwners;
  readonly shares: number;
}

export interface AddPermissionlessDelegatorTx extends BaseFields {
  readonly type: 'AddPermissionlessDelegator';
  readonly validator: ValidatorWindow;
  readonly subnetId: Id;
  readonly stake: readonly TransferableOutput[];
  readonly rewardsOwner: OutputOwners;
}

interface CreateSubnetTx extends BaseFields {
  readonly type: 'CreateSubnet';
  readonly owner: OutputOwners;
}

export interface CreateChainTx extends BaseFields {
  readonly type: 'CreateChain';
  readonly subnetId: Id;
  readonly chainName: string;
  readonly vmId: Id;
  readonly fxIds: readonly Id[];
  readonly genesisData: Uint8Array;
  readonly subnetAuth: SubnetAuth;
}

interface ImportTx extends BaseFields {
  readonly type: 'Import';
  readonly sourceChain: Id;
  readonly importedInputs: readonly TransferableInput[];
}

interface ExportTx extends BaseFields {
  readonly type: 'Export';
  readonly destinationChain: Id;
  readonly exportedOutputs: readonly TransferableOutput[];
}

interface AdvanceTimeTx {
  readonly type: 'AdvanceTime';
  /** UNIX seconds. */
  readonly time: bigint;
}

interface RewardValidatorTx {
  readonly type: 'RewardValidator';
  readonly stakerTxId: Id;
}

export interface RemoveSubnetValidatorTx extends BaseFields {
  readonly type: 'RemoveSubnetValidator';
  readonly nodeId: ShortId;
  readonly subnetId: Id;
  readonly subnetAuth: SubnetAuth;
}

export interface TransformSubnetTx extends BaseFields {
  readonly type: 'TransformSubnet';
  readonly subnetId: Id;
  readonly assetId: Id;
  readonly initialSupply: bigint;
  readonly maximumSupply: bigint;
  /** Millionths per year. */
  readonly minConsumptionRate: bigint;
  readonly maxConsumptionRate: bigint;
  readonly minValidatorStake: bigint;
  readonly maxValidatorStake: bigint;
  /** Seconds. */
  readonly minStakeDuration: number;
  readonly maxStakeDuration: number;
  /** Millionths. */
  readonly minDelegationFee: number;
  readonly minDelegatorStake: bigint;
  readonly maxValidatorWeightFactor: number;
  /** Millionths. */
  readonly uptimeRequirement: number;
  readonly subnetAuth: SubnetAuth;
}

interface TransferSubnetOwnershipTx extends BaseFields {
  readonly type: 'TransferSubnetOwnership';
  readonly subnetId: Id;
  readonly subnetAuth: SubnetAuth;
  readonly owner: OutputOwners;
}

interface BaseTx extends BaseFields {
  readonly type: 'Base';
}

export interface ConvertSubnetToL1Validator {
  /** 20 bytes where the P-chain accepted it; a slice on the wire. */
  readonly nodeId: string;
  readonly weight: bigint;
  readonly balance: bigint;
  readonly signer: ProofOfPossession;
  readonly remainingBalanceOwner: PChainOwner;
  readonly deactivationOwner: PChainOwner;
}

export interface ConvertSubnetToL1Tx extends BaseFields {
  readonly type: 'ConvertSubnetToL1';
  readonly subnetId: Id;
  readonly managerChainId: Id;
  readonly managerAddress: Uint8Array;
  readonly validators: readonly ConvertSubnetToL1Validator[];
  readonly subnetAuth: SubnetAuth;
}

export interface RegisterL1ValidatorTx extends BaseFields {
  readonly type: 'RegisterL1Validator';
  readonly balance: bigint;
  readonly proofOfPossession: Uint8Array;
  /** A signed Warp message. */
  readonly message: Uint8Array;
}

interface SetL1ValidatorWeightTx extends BaseFields {
  readonly type: 'SetL1ValidatorWeight';
  /** A signed Warp message. */
  readonly message: Uint8Array;
}

interface IncreaseL1ValidatorBalanceTx extends BaseFields {
  readonly type: 'IncreaseL1ValidatorBalance';
  readonly validationId: Id;
  readonly balance: bigint;
}

interface DisableL1ValidatorTx extends BaseFields {
  readonly type: 'DisableL1Validator';
  readonly validationId: Id;
  readonly disableAuth: SubnetAuth;
}

export interface AddAutoRenewedValidatorTx extends BaseFields {
  readonly type: 'AddAutoRenewedValidator';
  readonly nodeId: string;
  readonly signer: ProofOfPossession | null;
  readonly stake: readonly TransferableOutput[];
  readonly validationRewardsOwner: OutputOwners;
  readonly delegationRewardsOwner: OutputOwners;
  readonly validatorAuthority: OutputOwners;
  readonly shares: number;
  /** Millionths of the reward that is staked again. */
  readonly autoCompoundShares: number;
  /** Seconds per cycle. */
  readonly period: bigint;
}

export interface SetAutoRenewedValidatorConfigTx extends BaseFields {
  readonly type: 'SetAutoRenewedValidatorConfig';
  readonly stakerTxId: Id;
  readonly auth: SubnetAuth;
  readonly autoCompoundShares: number;
  /** Seconds per cycle from the next one on; 0 leaves at the end of this one. */
  readonly period: bigint;
}

export interface RewardAutoRenewedValidatorTx {
  readonly type: 'RewardAutoRenewedValidator';
  readonly stakerTxId: Id;
  readonly timestamp: bigint;
}

export type UnsignedTx =
  | AddValidatorTx
  | AddSubnetValidatorTx
  | AddDelegatorTx
  | CreateChainTx
  | CreateSubnetTx
  | ImportTx
  | ExportTx
  | AdvanceTimeTx
  | RewardValidatorTx
  | RemoveSubnetValidatorTx
  | TransformSubnetTx
  | AddPermissionlessValidatorTx
  | AddPermissionlessDelegatorTx
  | TransferSubnetOwnershipTx
  | BaseTx
  | ConvertSubnetToL1Tx
  | RegisterL1ValidatorTx
  | SetL1ValidatorWeightTx
  | IncreaseL1ValidatorBalanceTx
  | DisableL1ValidatorTx
  | AddAutoRenewedValidatorTx
  | SetAutoRenewedValidatorConfigTx
  | RewardAutoRenewedValidatorTx;

/** secp256k1fx.Credential: recoverable signatures of 65 bytes each. */
export interface Credential {
  readonly signatures: readonly Uint8Array[];
}

/** A signed transaction with its id, which is sha256 of the codec version and the signed bytes. */
export interface Transaction {
  readonly id: Id;
  readonly unsigned: UnsignedTx;
  readonly credentials: readonly Credential[];
}
