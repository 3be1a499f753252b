import type { Id } from '../../avalanche/platformvm/ids.js';
import type { OutputOwners, PChainOwner } from '../../avalanche/platformvm/output.js';
import type {
  Delegator,
  L1Validator,
  StakerStatus,
  Subnet,
  SubnetStake,
  Validator,
} from '../../avalanche/platformvm/state/records.js';
import type { TxType } from '../../avalanche/platformvm/transaction.js';

/** Columns as the driver gives them: numeric and bigint as text. */
interface StakerRow {
  tx_id: Buffer;
  subnet_id: Buffer;
  node_id: Buffer;
  status: StakerStatus;
  weight: string;
  start_time: string;
  end_time: string;
  block_height: string;
  block_time: string;
  potential_reward: string;
  stake_asset_id: Buffer;
  output_count: number;
  stake_output_count: number;
  end_tx_id: Buffer | null;
  ended_at: string | null;
  tx_type: TxType;
}

export interface ValidatorRow extends StakerRow {
  is_permissioned: boolean;
  signer_public_key: Buffer | null;
  signer_proof_of_possession: Buffer | null;
  validation_rewards_owner_locktime: string | null;
  validation_rewards_owner_threshold: number | null;
  validation_rewards_owner_addresses: Buffer[] | null;
  delegation_rewards_owner_locktime: string | null;
  delegation_rewards_owner_threshold: number | null;
  delegation_rewards_owner_addresses: Buffer[] | null;
  shares: number | null;
  delegatee_reward: string;
  paid_validation_reward: string;
  paid_delegation_reward: string;
  delegated_weight: string;
  delegator_count: number;
  total_delegated_weight: string;
  total_delegator_count: number;
  auto_renewal_authority_locktime: string | null;
  auto_renewal_authority_threshold: number | null;
  auto_renewal_authority_addresses: Buffer[] | null;
  auto_renewal_next_period: string | null;
  auto_renewal_auto_compound_shares: number | null;
  auto_renewal_accrued_validation_rewards: string | null;
  auto_renewal_accrued_delegatee_rewards: string | null;
  auto_renewal_last_payment_tx_id: Buffer | null;
  auto_renewal_last_payment_time: string | null;
}

export interface DelegatorRow extends StakerRow {
  validator_tx_id: Buffer;
  shares: number;
  rewards_owner_locktime: string | null;
  rewards_owner_threshold: number | null;
  rewards_owner_addresses: Buffer[] | null;
  paid_reward: string;
  is_rewarded: boolean | null;
}

export interface SubnetRow {
  subnet_id: Buffer;
  block_height: string;
  block_time: string;
  owner_locktime: string | null;
  owner_threshold: number | null;
  owner_addresses: Buffer[] | null;
  transformation_tx_id: Buffer | null;
  transformation_asset_id: Buffer | null;
  transformation_maximum_supply: string | null;
  transformation_min_consumption_rate: string | null;
  transformation_max_consumption_rate: string | null;
  transformation_max_validator_stake: string | null;
  transformation_max_validator_weight_factor: number | null;
  conversion_tx_id: Buffer | null;
  conversion_id: Buffer | null;
  conversion_manager_chain_id: Buffer | null;
  conversion_manager_address: Buffer | null;
}

export interface SubnetStakeRow {
  subnet_id: Buffer;
  supply: string | null;
  total_weight: string;
}

export interface L1ValidatorRow {
  validation_id: Buffer;
  subnet_id: Buffer;
  node_id: Buffer;
  public_key: Buffer;
  remaining_balance_owner_threshold: number;
  remaining_balance_owner_addresses: Buffer[];
  deactivation_owner_threshold: number;
  deactivation_owner_addresses: Buffer[];
  start_time: string;
  weight: string;
  min_nonce: string;
  end_accumulated_fee: string;
  tx_id: Buffer;
}

export function toValidator(row: ValidatorRow): Validator {
  return {
    kind: 'validator',
    ...toStakerFields(row),
    txType: row.tx_type,
    isPermissioned: row.is_permissioned,
    signer:
      row.signer_public_key === null || row.signer_proof_of_possession === null
        ? null
        : {
            publicKey: toBytes(row.signer_public_key),
            proofOfPossession: toBytes(row.signer_proof_of_possession),
          },
    validationRewardsOwner: toOwners(
      row.validation_rewards_owner_locktime,
      row.validation_rewards_owner_threshold,
      row.validation_rewards_owner_addresses,
    ),
    delegationRewardsOwner: toOwners(
      row.delegation_rewards_owner_locktime,
      row.delegation_rewards_owner_threshold,
      row.delegation_rewards_owner_addresses,
    ),
    shares: row.shares,
    delegateeReward: BigInt(row.delegatee_reward),
    paidValidationReward: BigInt(row.paid_validation_reward),
    paidDelegationReward: BigInt(row.paid_delegation_reward),
    delegatedWeight: BigInt(row.delegated_weight),
    delegatorCount: row.delegator_count,
    totalDelegatedWeight: BigInt(row.total_delegated_weight),
    totalDelegatorCount: row.total_delegator_count,
    autoRenewal: toAutoRenewal(row),
  };
}

export function toDelegator(row: DelegatorRow): Delegator {
  const { rewards_owner_locktime, rewards_owner_threshold, rewards_owner_addresses } = row;
  return {
    kind: 'delegator',
    ...toStakerFields(row),
    txType: row.tx_type,
    validatorTxId: toId(row.validator_tx_id),
    shares: row.shares,
    rewardsOwner: present(
      toOwners(rewards_owner_locktime, rewards_owner_threshold, rewards_owner_addresses),
      'rewards_owner',
    ),
    paidReward: BigInt(row.paid_reward),
    isRewarded: row.is_rewarded,
  };
}

export function toSubnet(row: SubnetRow): Subnet {
  return {
    subnetId: toId(row.subnet_id),
    blockHeight: BigInt(row.block_height),
    blockTime: Number(row.block_time),
    owner: toOwners(row.owner_locktime, row.owner_threshold, row.owner_addresses),
    transformation:
      row.transformation_tx_id === null
        ? null
        : {
            txId: toId(row.transformation_tx_id),
            assetId: toId(present(row.transformation_asset_id, 'transformation_asset_id')),
            maximumSupply: toAmount(row.transformation_maximum_supply, 'transformation_maximum_supply'),
            minConsumptionRate: toAmount(
              row.transformation_min_consumption_rate,
              'transformation_min_consumption_rate',
            ),
            maxConsumptionRate: toAmount(
              row.transformation_max_consumption_rate,
              'transformation_max_consumption_rate',
            ),
            maxValidatorStake: toAmount(
              row.transformation_max_validator_stake,
              'transformation_max_validator_stake',
            ),
            maxValidatorWeightFactor: present(
              row.transformation_max_validator_weight_factor,
              'transformation_max_validator_weight_factor',
            ),
          },
    conversion:
      row.conversion_tx_id === null
        ? null
        : {
            txId: toId(row.conversion_tx_id),
            conversionId: toId(present(row.conversion_id, 'conversion_id')),
            managerChainId: toId(present(row.conversion_manager_chain_id, 'conversion_manager_chain_id')),
            managerAddress: toId(present(row.conversion_manager_address, 'conversion_manager_address')),
          },
  };
}

export function toSubnetStake(row: SubnetStakeRow): SubnetStake {
  return {
    subnetId: toId(row.subnet_id),
    supply: row.supply === null ? null : BigInt(row.supply),
    totalWeight: BigInt(row.total_weight),
  };
}

export function toL1Validator(row: L1ValidatorRow): L1Validator {
  return {
    validationId: toId(row.validation_id),
    subnetId: toId(row.subnet_id),
    nodeId: toId(row.node_id),
    publicKey: toBytes(row.public_key),
    remainingBalanceOwner: toPChainOwner(
      row.remaining_balance_owner_threshold,
      row.remaining_balance_owner_addresses,
    ),
    deactivationOwner: toPChainOwner(row.deactivation_owner_threshold, row.deactivation_owner_addresses),
    start: Number(row.start_time),
    weight: BigInt(row.weight),
    minNonce: BigInt(row.min_nonce),
    endAccumulatedFee: BigInt(row.end_accumulated_fee),
    txId: toId(row.tx_id),
  };
}

/** Bytes as hex, also of an address or anything else. */
export function toId(bytes: Buffer): Id {
  return bytes.toString('hex');
}

function toStakerFields(row: StakerRow) {
  return {
    txId: toId(row.tx_id),
    subnetId: toId(row.subnet_id),
    nodeId: toId(row.node_id),
    status: row.status,
    weight: BigInt(row.weight),
    start: Number(row.start_time),
    end: Number(row.end_time),
    blockHeight: BigInt(row.block_height),
    blockTime: Number(row.block_time),
    potentialReward: BigInt(row.potential_reward),
    stakeAssetId: toId(row.stake_asset_id),
    outputCount: row.output_count,
    stakeOutputCount: row.stake_output_count,
    endTxId: row.end_tx_id === null ? null : toId(row.end_tx_id),
    endedAt: row.ended_at === null ? null : Number(row.ended_at),
  };
}

function toAutoRenewal(row: ValidatorRow): Validator['autoRenewal'] {
  const authority = toOwners(
    row.auto_renewal_authority_locktime,
    row.auto_renewal_authority_threshold,
    row.auto_renewal_authority_addresses,
  );
  if (authority === null) return null;
  return {
    authority,
    nextPeriod: Number(present(row.auto_renewal_next_period, 'auto_renewal_next_period')),
    autoCompoundShares: present(row.auto_renewal_auto_compound_shares, 'auto_renewal_auto_compound_shares'),
    accruedValidationRewards: toAmount(
      row.auto_renewal_accrued_validation_rewards,
      'auto_renewal_accrued_validation_rewards',
    ),
    accruedDelegateeRewards: toAmount(
      row.auto_renewal_accrued_delegatee_rewards,
      'auto_renewal_accrued_delegatee_rewards',
    ),
    lastPayment:
      row.auto_renewal_last_payment_tx_id === null
        ? null
        : {
            rewardTxId: toId(row.auto_renewal_last_payment_tx_id),
            time: Number(present(row.auto_renewal_last_payment_time, 'auto_renewal_last_payment_time')),
          },
  };
}

function toOwners(
  locktime: string | null,
  threshold: number | null,
  addresses: Buffer[] | null,
): OutputOwners | null {
  if (locktime === null || threshold === null || addresses === null) return null;
  return { locktime: BigInt(locktime), threshold, addresses: addresses.map(toId) };
}

function toPChainOwner(threshold: number, addresses: Buffer[]): PChainOwner {
  return { threshold, addresses: addresses.map(toId) };
}

/** A Uint8Array as the codec makes it, so that records compare as equal. */
function toBytes(bytes: Buffer): Uint8Array {
  return new Uint8Array(bytes);
}

function toAmount(text: string | null, column: string): bigint {
  return BigInt(present(text, column));
}

function present<T>(value: T | null, column: string): T {
  if (value === null) throw new RangeError(`${column} is empty`);
  return value;
}
