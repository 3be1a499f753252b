import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { packAddress } from '../../avalanche/ids/address.js';
import { toHex } from '../../avalanche/ids/hex.js';
import { idToString } from '../../avalanche/ids/id.js';
import { toPercent } from '../../http/percent.js';
import { repeatedIdToString } from '../../http/repeated-ids.js';
import { VALIDATION_STATUSES, type ValidationStatus, type ValidatorRow } from '../validator-list.js';

const DECIMAL = { type: 'string', pattern: '^\\d+$' } as const;

export class BlsCredentials {
  @ApiProperty({ description: '0x and 48 bytes of hex.' })
  publicKey: string;

  @ApiProperty({ description: '0x and 96 bytes of hex.' })
  proofOfPossession: string;
}

export class ValidatorRewards {
  @ApiProperty(DECIMAL)
  validationRewardAmount: string;

  @ApiProperty(DECIMAL)
  delegationRewardAmount: string;

  @ApiProperty({ type: [String], description: 'Owners of both rewards, bech32 without a chain in front.' })
  rewardAddresses: string[];

  @ApiPropertyOptional({
    description:
      'Completed ones: the transaction that decided about the rewards, of an auto-renewed validation about those of its last period.',
  })
  rewardTxHash?: string;
}

export class ValidatorAutoRenewal {
  @ApiProperty({
    description:
      'Whether another period follows this one, provided that the validator earns its reward. False once it was told to leave, and when it has.',
  })
  renews: boolean;

  @ApiPropertyOptional({
    type: 'integer',
    description: 'Length of the period that follows. While it renews.',
  })
  nextPeriodSeconds?: number;

  @ApiProperty({
    example: '50',
    description:
      'Percent of the rewards that are staked again at the end of a period; the rest is paid out, and so is what would lift the stake above the network’s limit.',
  })
  autoCompoundPercentage: string;

  @ApiProperty({ type: [String], description: 'Who may change this; bech32 without a chain in front.' })
  authorityAddresses: string[];

  @ApiProperty({ type: 'integer', description: 'Start of the first period.' })
  firstStartTimestamp: number;

  @ApiProperty({
    ...DECIMAL,
    description:
      'Validation rewards that were staked again: a part of amountStaked, and not among the rewards until the end of the last period pays them out.',
  })
  restakedValidationRewardAmount: string;

  @ApiProperty({ ...DECIMAL, description: 'The same of the rewards for delegations.' })
  restakedDelegationRewardAmount: string;

  @ApiPropertyOptional({ type: 'integer', description: 'When rewards were last paid out, if ever.' })
  lastRewardTimestamp?: number;

  @ApiPropertyOptional({ description: 'The transaction that paid them out.' })
  lastRewardTxHash?: string;
}

export class ValidatorResponse {
  @ApiProperty()
  txHash: string;

  @ApiProperty({ example: 'NodeID-…' })
  nodeId: string;

  @ApiProperty()
  subnetId: string;

  @ApiProperty({ ...DECIMAL, description: 'With the rewards that an auto-renewed validation staked again.' })
  amountStaked: string;

  @ApiProperty({ type: 'string', nullable: true, description: 'Percent; null for subnet validations.' })
  delegationFee: string | null;

  @ApiProperty({
    type: 'integer',
    description: 'Of an auto-renewed validation: of its current or last period.',
  })
  startTimestamp: number;

  @ApiProperty({
    type: 'integer',
    description: 'Of an auto-renewed validation: of its current or last period.',
  })
  endTimestamp: number;

  @ApiPropertyOptional({ type: BlsCredentials })
  blsCredentials?: BlsCredentials;

  @ApiProperty({
    type: 'integer',
    description: 'Running delegations; of a completed validation all of them.',
  })
  delegatorCount: number;

  @ApiProperty(DECIMAL)
  amountDelegated: string;

  @ApiProperty({
    type: ValidatorRewards,
    description: 'What was paid; to an auto-renewed validation in all of its periods.',
  })
  rewards: ValidatorRewards;

  @ApiProperty({ enum: VALIDATION_STATUSES })
  validationStatus: ValidationStatus;

  @ApiPropertyOptional({
    description:
      "Active ones: percent of the subnet's weight, which is that of its active validators, their delegations, and its L1 validators.",
  })
  stakePercentage?: number;

  @ApiPropertyOptional({ description: 'Active ones: percent, as the operator’s nodes see it.' })
  uptimePerformance?: number;

  @ApiPropertyOptional({ example: 'avalanchego/1.15.0', description: 'Active ones.' })
  avalancheGoVersion?: string;

  @ApiPropertyOptional({ ...DECIMAL, description: 'Active ones: what can still be delegated.' })
  delegationCapacity?: string;

  @ApiPropertyOptional({
    type: ValidatorRewards,
    description:
      'Active ones: what is paid if all goes well; to an auto-renewed validation for its current period, paid or staked again.',
  })
  potentialRewards?: ValidatorRewards;

  @ApiPropertyOptional({
    type: ValidatorAutoRenewal,
    description: 'Of validations that can renew themselves: one transaction, period after period.',
  })
  autoRenewal?: ValidatorAutoRenewal;

  @ApiPropertyOptional({ description: 'Removed ones.' })
  removeTxHash?: string;

  @ApiPropertyOptional({ type: 'integer', description: 'Removed ones.' })
  removeTimestamp?: number;
}

export class ListValidatorsResponse {
  @ApiPropertyOptional({ description: 'Absent on the last page.' })
  nextPageToken?: string;

  @ApiProperty({ type: [ValidatorResponse] })
  validators: ValidatorResponse[];
}

export function toValidatorResponse(row: ValidatorRow, hrp: string): ValidatorResponse {
  const isRunning = row.status === 'active' || row.status === 'pending';
  const rewardAddresses = addressesOf(row, hrp);
  return {
    txHash: idToString(row.tx_id),
    nodeId: row.node_id_text,
    subnetId: repeatedIdToString(row.subnet_id),
    amountStaked: row.weight,
    delegationFee: row.shares === null ? null : toPercent(row.shares),
    startTimestamp: Number(row.start_time),
    endTimestamp: Number(row.end_time),
    ...blsCredentials(row),
    delegatorCount: isRunning ? row.delegator_count : row.total_delegator_count,
    amountDelegated: isRunning ? row.delegated_weight : row.total_delegated_weight,
    rewards: {
      validationRewardAmount: row.paid_validation_reward,
      delegationRewardAmount: row.paid_delegation_reward,
      rewardAddresses,
      ...(row.status === 'completed' && row.end_tx_id !== null
        ? { rewardTxHash: idToString(row.end_tx_id) }
        : {}),
    },
    validationStatus: row.status,
    ...(row.status === 'active' ? activeFields(row, rewardAddresses) : {}),
    ...(row.status === 'removed' ? removedFields(row) : {}),
    ...autoRenewal(row, hrp),
  };
}

function blsCredentials(row: ValidatorRow): { blsCredentials?: BlsCredentials } {
  if (row.signer_public_key === null || row.signer_proof_of_possession === null) return {};
  return {
    blsCredentials: {
      publicKey: `0x${toHex(row.signer_public_key)}`,
      proofOfPossession: `0x${toHex(row.signer_proof_of_possession)}`,
    },
  };
}

function addressesOf(row: ValidatorRow, hrp: string): string[] {
  const addresses = [
    ...(row.validation_rewards_owner_addresses ?? []),
    ...(row.delegation_rewards_owner_addresses ?? []),
  ].map((bytes) => packAddress({ hrp, bytes }));
  return [...new Set(addresses)];
}

function autoRenewal(row: ValidatorRow, hrp: string): { autoRenewal?: ValidatorAutoRenewal } {
  if (row.auto_renewal_next_period === null) return {};
  const nextPeriodSeconds = Number(row.auto_renewal_next_period);
  const renews = row.status === 'active' && nextPeriodSeconds > 0;
  return {
    autoRenewal: {
      renews,
      ...(renews ? { nextPeriodSeconds } : {}),
      autoCompoundPercentage: toPercent(row.auto_renewal_auto_compound_shares ?? 0),
      authorityAddresses: (row.auto_renewal_authority_addresses ?? []).map((bytes) =>
        packAddress({ hrp, bytes }),
      ),
      // It starts with the block of its transaction.
      firstStartTimestamp: Number(row.block_time),
      restakedValidationRewardAmount: row.auto_renewal_accrued_validation_rewards ?? '0',
      restakedDelegationRewardAmount: row.auto_renewal_accrued_delegatee_rewards ?? '0',
      ...(row.auto_renewal_last_payment_time === null
        ? {}
        : { lastRewardTimestamp: Number(row.auto_renewal_last_payment_time) }),
      ...(row.auto_renewal_last_payment_tx_id === null
        ? {}
        : { lastRewardTxHash: idToString(row.auto_renewal_last_payment_tx_id) }),
    },
  };
}

function activeFields(row: ValidatorRow, rewardAddresses: string[]): Partial<ValidatorResponse> {
  const subnetWeight = Number(row.subnet_weight ?? 0);
  const delegationRewards = BigInt(row.delegatee_reward) + BigInt(row.validator_part ?? 0);
  return {
    ...(subnetWeight > 0 ? { stakePercentage: (Number(row.weight) / subnetWeight) * 100 } : {}),
    ...(row.uptime_performance === null ? {} : { uptimePerformance: row.uptime_performance }),
    ...(row.node_version === null ? {} : { avalancheGoVersion: row.node_version }),
    ...(row.delegation_capacity === null ? {} : { delegationCapacity: row.delegation_capacity }),
    potentialRewards: {
      validationRewardAmount: row.potential_reward,
      delegationRewardAmount: delegationRewards.toString(),
      rewardAddresses,
    },
  };
}

function removedFields(row: ValidatorRow): Partial<ValidatorResponse> {
  return {
    ...(row.end_tx_id === null ? {} : { removeTxHash: idToString(row.end_tx_id) }),
    ...(row.ended_at === null ? {} : { removeTimestamp: Number(row.ended_at) }),
  };
}
