import type { Id, ShortId } from '../ids.js';
import type { Output, OutputOwners, PChainOwner } from '../output.js';
import type { ProofOfPossession, StakerTx, TxType } from '../transaction.js';
import type { StakerStatus } from './staker-status.js';

/** Fields of all stakers. Times are UNIX seconds, amounts the smallest unit of the subnet's staking asset. */
interface StakerFields {
  readonly txId: Id;
  readonly subnetId: Id;
  readonly nodeId: ShortId;
  readonly status: StakerStatus;
  readonly weight: bigint;
  /** The transaction's start before Durango, the time of its block since then. */
  readonly start: number;
  readonly end: number;
  /** Block that accepted the transaction. */
  readonly blockHeight: bigint;
  readonly blockTime: number;
  /** Zero while pending, and always for permissioned validators. */
  readonly potentialReward: bigint;
  /** Asset of stake and rewards; the zero id for permissioned validators, who stake nothing. */
  readonly stakeAssetId: Id;
  /** Ordinary outputs of the transaction; its stake outputs follow them. */
  readonly outputCount: number;
  readonly stakeOutputCount: number;
  /** The transaction that decided about the reward, or that removed the validator; null before. */
  readonly endTxId: Id | null;
  /** Chain time at which it left; null before. */
  readonly endedAt: number | null;
}

export interface Validator extends StakerFields {
  readonly kind: 'validator';
  /** Added by the subnet's owner: no stake, no reward, leaves by time. */
  readonly isPermissioned: boolean;
  /** Type of the transaction; decides the order in which pending ones start. */
  readonly txType: TxType;
  readonly signer: ProofOfPossession | null;
  /** Null for permissioned validators. */
  readonly validationRewardsOwner: OutputOwners | null;
  readonly delegationRewardsOwner: OutputOwners | null;
  /** Fee for delegations in millionths; null for permissioned validators. */
  readonly shares: number | null;
  /** Its part of the rewards of finished delegations, not yet paid. */
  readonly delegateeReward: bigint;
  /** Paid out at the end; zero before, and when the reward was refused. */
  readonly paidValidationReward: bigint;
  /** Paid out for delegations, at the end or (before Cortina) one by one. */
  readonly paidDelegationReward: bigint;
  /** Delegations that run or wait to start. */
  readonly delegatedWeight: bigint;
  readonly delegatorCount: number;
  /** All delegations there ever were to this validation. */
  readonly totalDelegatedWeight: bigint;
  readonly totalDelegatorCount: number;
  /** Fields of validators that renew themselves (Helicon); null for all others. */
  readonly autoRenewal: AutoRenewal | null;
}

export interface AutoRenewal {
  readonly authority: OutputOwners;
  /** Seconds of the next cycle; 0 leaves at the end of this one. */
  readonly nextPeriod: number;
  /** Millionths of the rewards that are staked again. */
  readonly autoCompoundShares: number;
  /** Rewards of earlier cycles that became part of the weight. They stay on record when the end has paid them out. */
  readonly accruedValidationRewards: bigint;
  readonly accruedDelegateeRewards: bigint;
  /** Of the current or last cycle, from 1. */
  readonly cycleIndex: number;
  /** Delegations of the cycles before it: none outlasts the cycle in which it began. */
  readonly earlierDelegatorCount: number;
  readonly earlierDelegatedWeight: bigint;
  /** Whether it had to leave because it missed the condition of its reward. */
  readonly isAborted: boolean;
}

/** `exited`: as it was configured; `aborted`: without the reward of this cycle. */
export type CycleOutcome = 'renewed' | 'exited' | 'aborted';

/** A cycle of a validator that renews itself, whose end was decided. */
export interface SettledCycle {
  readonly txId: Id;
  readonly cycleIndex: number;
  readonly nodeId: ShortId;
  readonly rewardTxId: Id;
  readonly start: number;
  readonly end: number;
  readonly weight: bigint;
  /** Millionths, as they were at the end. */
  readonly autoCompoundShares: number;
  readonly outcome: CycleOutcome;
  /** Of what this cycle earned; what earlier ones had staked again and the end pays back is not in it. */
  readonly withdrawnValidationReward: bigint;
  readonly compoundedValidationReward: bigint;
  readonly withdrawnDelegateeReward: bigint;
  readonly compoundedDelegateeReward: bigint;
  readonly delegatorCount: number;
  readonly delegatedWeight: bigint;
}

export interface Delegator extends StakerFields {
  readonly kind: 'delegator';
  readonly txType: TxType;
  /** The validation that it belongs to. */
  readonly validatorTxId: Id;
  /** The validator's fee in millionths. */
  readonly shares: number;
  readonly rewardsOwner: OutputOwners;
  /** Paid to the delegator; zero before the end, and when the reward was refused. */
  readonly paidReward: bigint;
  /** Whether the reward was granted; null before the end. */
  readonly isRewarded: boolean | null;
}

export type Staker = Validator | Delegator;

/** The transaction that made a staker, and the block that accepted it. */
export interface StakingTransaction {
  readonly txId: Id;
  readonly unsigned: StakerTx;
  readonly blockId: Id;
  readonly blockHeight: bigint;
  readonly blockTime: number;
}

/** Supply and stake of the primary network or an elastic subnet, in its staking asset. */
export interface SubnetStake {
  readonly subnetId: Id;
  /** Null for subnets without permissionless staking. */
  readonly supply: bigint | null;
  /** Weight of all active validators and delegators. */
  readonly totalWeight: bigint;
}

export interface Subnet {
  readonly subnetId: Id;
  readonly blockHeight: bigint;
  readonly blockTime: number;
  /** The newest; null for the primary network. */
  readonly owner: OutputOwners | null;
  readonly transformation: SubnetTransformation | null;
  readonly conversion: SubnetConversion | null;
}

/** The transformation that made a subnet elastic; the fields that rewards and capacity follow from. */
interface SubnetTransformation {
  readonly txId: Id;
  readonly assetId: Id;
  readonly maximumSupply: bigint;
  readonly minConsumptionRate: bigint;
  readonly maxConsumptionRate: bigint;
  readonly maxValidatorStake: bigint;
  readonly maxValidatorWeightFactor: number;
}

interface SubnetConversion {
  readonly txId: Id;
  readonly conversionId: Id;
  readonly managerChainId: Id;
  /** Hex. */
  readonly managerAddress: string;
}

export interface Blockchain {
  readonly blockchainId: Id;
  readonly subnetId: Id;
  readonly name: string;
  readonly vmId: Id;
  readonly fxIds: readonly Id[];
  readonly genesisData: Uint8Array;
  /** -1 for those of the genesis. */
  readonly blockHeight: bigint;
  readonly blockTime: number;
}

export interface L1Validator {
  readonly validationId: Id;
  readonly subnetId: Id;
  readonly nodeId: ShortId;
  /** Compressed, 48 bytes. */
  readonly publicKey: Uint8Array;
  /** 96 bytes. */
  readonly proofOfPossession: Uint8Array;
  readonly remainingBalanceOwner: PChainOwner;
  readonly deactivationOwner: PChainOwner;
  readonly start: number;
  /** Zero: removed. */
  readonly weight: bigint;
  readonly minNonce: bigint;
  /** The accrued fees at which its balance is used up; zero while inactive. */
  readonly endAccumulatedFee: bigint;
  /** The transaction that made it. */
  readonly txId: Id;
}

/**
 * Weight and key of a member of a subnet's validator set from a block on. Members are nodes with their delegations (`memberId`: the node's
 * id), and validations of L1s (the validation's id).
 */
export interface ValidatorSetChange {
  readonly subnetId: Id;
  readonly memberId: string;
  /** The block after which it is so. */
  readonly height: bigint;
  /** Null for an L1 validator without balance, which counts for the total weight alone. */
  readonly nodeId: ShortId | null;
  /** Compressed, 48 bytes; that of the primary network where a subnet's validator has none of its own. */
  readonly publicKey: Uint8Array | null;
  /** Zero: no longer a member. */
  readonly weight: bigint;
}

export type RewardType = 'VALIDATOR' | 'DELEGATOR' | 'VALIDATOR_FEE';

/** UNIX seconds. `isStaked` turns false at the end, the window stays. */
export interface StakeWindow {
  readonly isStaked: boolean;
  readonly start: number;
  readonly end: number;
}

/** An output that came into being on the P-chain, or left it by an export. */
export interface CreatedUtxo {
  /** sha256 of the output index as uint64 and the transaction id. */
  readonly utxoId: Id;
  readonly txId: Id;
  readonly outputIndex: number;
  readonly assetId: Id;
  readonly output: Output;
  /** Where it can be spent: the destination of an export, the P-chain (zero id) for all others. */
  readonly spendableOnChainId: Id;
  readonly blockHeight: bigint;
  readonly blockTime: number;
  readonly stake: StakeWindow | null;
  readonly rewardType: RewardType | null;
}

/** An output that was spent on the P-chain. */
export interface ConsumedUtxo {
  readonly utxoId: Id;
  readonly txId: Id;
  readonly outputIndex: number;
  readonly assetId: Id;
  readonly amount: bigint;
  /** The source of an import, the P-chain (zero id) for all others. */
  readonly createdOnChainId: Id;
  readonly consumingTxId: Id;
  readonly blockHeight: bigint;
  readonly blockTime: number;
}

export interface TransactionRecord {
  readonly txId: Id;
  readonly type: TxType;
  readonly blockHeight: bigint;
  readonly blockTime: number;
  readonly isCommitted: boolean;
  /** nAVAX that went in and came out nowhere, L1 balances not counted. */
  readonly burned: bigint;
  /** nAVAX of all inputs, those of an import included. */
  readonly avaxSpent: bigint;
  /** Without credentials, of one that the P-chain states something about an L1 after; null for all others. */
  readonly l1Transaction: Uint8Array | null;
}
