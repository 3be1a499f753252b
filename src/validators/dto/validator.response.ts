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

  @ApiPropertyOptional({ description: 'The transaction that decided about the rewards.' })
  rewardTxHash?: string;
}

export class ValidatorResponse {
  @ApiProperty()
  txHash: string;

  @ApiProperty({ example: 'NodeID-…' })
  nodeId: string;

  @ApiProperty()
  subnetId: string;

  @ApiProperty(DECIMAL)
  amountStaked: string;

  @ApiProperty({ type: 'string', nullable: true, description: 'Percent; null for subnet validations.' })
  delegationFee: string | null;

  @ApiProperty({ type: 'integer' })
  startTimestamp: number;

  @ApiProperty({ type: 'integer' })
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

  @ApiProperty({ type: ValidatorRewards, description: 'What was paid.' })
  rewards: ValidatorRewards;

  @ApiProperty({ enum: VALIDATION_STATUSES })
  validationStatus: ValidationStatus;

  @ApiPropertyOptional({ description: "Active ones: percent of the subnet's active stake." })
  stakePercentage?: number;

  @ApiPropertyOptional({ description: 'Active ones: percent, as the operator’s nodes see it.' })
  uptimePerformance?: number;

  @ApiPropertyOptional({ example: 'avalanchego/1.14.2', description: 'Active ones.' })
  avalancheGoVersion?: string;

  @ApiPropertyOptional({ ...DECIMAL, description: 'Active ones: what can still be delegated.' })
  delegationCapacity?: string;

  @ApiPropertyOptional({ type: ValidatorRewards, description: 'Active ones: what is paid if all goes well.' })
  potentialRewards?: ValidatorRewards;

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
