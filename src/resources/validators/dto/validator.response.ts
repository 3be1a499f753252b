import { ApiProperty, ApiPropertyOptional, OmitType } from '@nestjs/swagger';
import { toHex } from '../../../avalanche/ids/hex.js';
import { PRIMARY_NETWORK_ID } from '../../../avalanche/ids/id.js';
import { BlsCredentials } from '../../../platform/http/openapi/bls-credentials.js';
import { EXAMPLES } from '../../../platform/http/openapi/examples.js';
import {
  bech32List,
  cb58,
  count,
  decimal,
  nanoAvax,
  text,
  unixSeconds,
} from '../../../platform/http/openapi/fields.js';
import { PageResponse } from '../../../platform/http/openapi/page.response.js';
import { toPercent } from '../../../platform/http/schemas/percent.js';
import { packAddresses, repeatedIdToString } from '../../../avalanche/ids/repeated-texts.js';
import { STAKING_TYPE, type StakingType } from '../auto-renew-state.js';
import { AutoRenew, autoRenewOf } from '../auto-renew.response.js';
import { GEOLOCATION, type Geolocation, observedFields, ValidatorHealth } from './observed-node.response.js';
import { VALIDATION_STATUSES, type ValidationStatus, type ValidatorRow } from '../validator-list.js';

export class ValidatorRewards {
  @ApiProperty(nanoAvax('Reward for its own stake.', '12863916275'))
  validationRewardAmount!: string;

  @ApiProperty(nanoAvax('Its share of the rewards of its delegators.', '52539475'))
  delegationRewardAmount!: string;

  @ApiProperty(bech32List('Owners of both rewards.', EXAMPLES.address))
  rewardAddresses!: string[];

  @ApiPropertyOptional(
    cb58(
      'Completed validations: the transaction that decided on the rewards; for an auto-renewed validation, on those of its last cycle.',
      '2qYFDAg8zaStCMhHD5ZjeyDHDJUKPtjDsiEoAy2LN2cvx9MWXi',
    ),
  )
  rewardTxHash?: string;
}

export class ValidatorResponse {
  @ApiProperty(
    cb58('The transaction that added the validator.', 'HyxfaccmVdzE23aVYdQbaf94FnEoobBMxbKoaLJcu8ywmnEKS'),
  )
  txHash!: string;

  @ApiProperty(text('The node that validates.', EXAMPLES.nodeId))
  nodeId!: string;

  @ApiProperty(cb58('The subnet that the node validates.', PRIMARY_NETWORK_ID))
  subnetId!: string;

  @ApiProperty(
    decimal(
      'Stake in nAVAX, including the restaked rewards of an auto-renewed validation; for a subnet validation, its weight.',
      '2002000000000',
    ),
  )
  amountStaked!: string;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Percentage of the rewards of delegators; null for subnet validations.',
    example: '5',
  })
  delegationFee!: string | null;

  @ApiProperty(
    unixSeconds(
      'Start; for an auto-renewed validation, the start of its current or last cycle.',
      1_795_307_538,
    ),
  )
  startTimestamp!: number;

  @ApiProperty(
    unixSeconds(
      'End, planned or past; for an auto-renewed validation, the end of its current or last cycle.',
      1_797_899_537,
    ),
  )
  endTimestamp!: number;

  @ApiPropertyOptional({
    type: BlsCredentials,
    description: 'The key that it signs Warp messages with, if it has registered one.',
  })
  blsCredentials?: BlsCredentials;

  @ApiProperty(count('Number of active delegations; for a completed validation, of all its delegations.', 2))
  delegatorCount!: number;

  @ApiProperty(nanoAvax('Stake of these delegations.', '300000000000'))
  amountDelegated!: string;

  @ApiProperty({
    type: ValidatorRewards,
    description: 'Rewards paid; for an auto-renewed validation, over all of its cycles.',
  })
  rewards!: ValidatorRewards;

  @ApiProperty({
    enum: VALIDATION_STATUSES,
    description:
      'pending: has not started; active; completed: ended as planned; removed: removed before its end.',
    example: 'active',
  })
  validationStatus!: ValidationStatus;

  @ApiPropertyOptional({
    description:
      "Active validations: percentage of the subnet's weight, which is the sum over its active validators, their delegations, and its L1 validators.",
    example: 0.020008503110273353,
  })
  stakePercentage?: number;

  @ApiPropertyOptional({
    description:
      'Active validations: uptime since the start in percent, as observed by the operator’s nodes; for a subnet validation, the uptime of its node on the primary network. Absent until a node has been asked, which takes up to a minute.',
    example: 100,
  })
  uptimePerformance?: number;

  @ApiPropertyOptional(
    text(
      'Active validations: the version that the node reported when it was last seen.',
      'avalanchego/1.15.0',
    ),
  )
  avalancheGoVersion?: string;

  @ApiPropertyOptional({
    type: ValidatorHealth,
    description:
      'Active validations: how the operator’s nodes have seen the validator’s node in the last 24 hours. Absent until they have checked, which takes up to a minute, and if they do not list their peers.',
  })
  validatorHealth?: ValidatorHealth;

  @ApiPropertyOptional(GEOLOCATION)
  geolocation?: Geolocation | null;

  @ApiPropertyOptional(nanoAvax('Active validations: amount that can still be delegated.', '7708000000000'))
  delegationCapacity?: string;

  @ApiPropertyOptional({
    type: ValidatorRewards,
    description:
      'Active validations: the rewards if the validator earns them; for an auto-renewed validation, those of its current cycle, whether paid or restaked.',
  })
  potentialRewards?: ValidatorRewards;

  @ApiProperty(STAKING_TYPE)
  stakingType!: StakingType;

  @ApiPropertyOptional({
    type: AutoRenew,
    description: 'Auto-renewed validations only: one transaction covers cycle after cycle.',
  })
  autoRenew?: AutoRenew;

  @ApiPropertyOptional(
    cb58(
      'Removed validations: the transaction that removed the validator.',
      '64YydCaKFE7mGhN49g7wjhtyjhibM2suC9Pc2vuKZ4wgYoeYD',
    ),
  )
  removeTxHash?: string;

  @ApiPropertyOptional(unixSeconds('Removed validations: time of the removal.', 1_795_307_326))
  removeTimestamp?: number;
}

/** As in the list, but without what has no value. */
export class NodeValidationResponse extends OmitType(ValidatorResponse, ['delegationFee'] as const) {
  @ApiPropertyOptional(
    text('Percentage of the rewards of delegators; absent for subnet validations, which have none.', '5'),
  )
  delegationFee?: string;
}

export class ListNodeValidationsResponse extends PageResponse {
  @ApiProperty({ type: [NodeValidationResponse], description: 'At most pageSize validations.' })
  validators!: NodeValidationResponse[];
}

export class ListValidatorsResponse extends PageResponse {
  @ApiProperty({ type: [ValidatorResponse], description: 'At most pageSize validators.' })
  validators!: ValidatorResponse[];
}

export function toValidatorResponse(row: ValidatorRow, hrp: string): ValidatorResponse {
  const isRunning = row.status === 'active' || row.status === 'pending';
  const rewardAddresses = addressesOf(row, hrp);
  return {
    txHash: repeatedIdToString(row.txId),
    nodeId: row.nodeIdText,
    subnetId: repeatedIdToString(row.subnetId),
    amountStaked: row.weight.toString(),
    delegationFee: row.shares === null ? null : toPercent(row.shares),
    startTimestamp: row.start,
    endTimestamp: row.end,
    ...blsCredentials(row),
    delegatorCount: isRunning ? row.delegatorCount : row.totalDelegatorCount,
    amountDelegated: (isRunning ? row.delegatedWeight : row.totalDelegatedWeight).toString(),
    rewards: {
      validationRewardAmount: row.paidValidationReward.toString(),
      delegationRewardAmount: row.paidDelegationReward.toString(),
      rewardAddresses,
      ...(row.status === 'completed' && row.endTxId !== null
        ? { rewardTxHash: repeatedIdToString(row.endTxId) }
        : {}),
    },
    validationStatus: row.status,
    ...(row.status === 'active' ? activeFields(row, rewardAddresses) : {}),
    ...(row.status === 'removed' ? removedFields(row) : {}),
    stakingType: row.autoRenewal === null ? 'fixed' : 'autoRenewed',
    ...autoRenewOf(row, hrp),
  };
}

export function toNodeValidationResponse(row: ValidatorRow, hrp: string): NodeValidationResponse {
  const { delegationFee, ...rest } = toValidatorResponse(row, hrp);
  return delegationFee === null ? rest : { ...rest, delegationFee };
}

function blsCredentials({ signer }: ValidatorRow): { blsCredentials?: BlsCredentials } {
  if (signer === null) return {};
  return {
    blsCredentials: {
      publicKey: `0x${toHex(signer.publicKey)}`,
      proofOfPossession: `0x${toHex(signer.proofOfPossession)}`,
    },
  };
}

function addressesOf(row: ValidatorRow, hrp: string): string[] {
  const owners = new Set([
    ...(row.validationRewardsOwner?.addresses ?? []),
    ...(row.delegationRewardsOwner?.addresses ?? []),
  ]);
  return packAddresses(owners, hrp);
}

function activeFields(row: ValidatorRow, rewardAddresses: string[]): Partial<ValidatorResponse> {
  const subnetWeight = Number(row.subnetWeight ?? 0);
  const delegationRewards = row.delegateeReward + BigInt(row.validatorPart ?? 0);
  return {
    ...(subnetWeight > 0 ? { stakePercentage: (Number(row.weight) / subnetWeight) * 100 } : {}),
    ...(row.uptimePerformance === null ? {} : { uptimePerformance: row.uptimePerformance }),
    ...observedFields(row),
    ...(row.delegationCapacity === null ? {} : { delegationCapacity: row.delegationCapacity.toString() }),
    potentialRewards: {
      validationRewardAmount: row.potentialReward.toString(),
      delegationRewardAmount: delegationRewards.toString(),
      rewardAddresses,
    },
  };
}

function removedFields({ endTxId, endedAt }: ValidatorRow): Partial<ValidatorResponse> {
  return {
    ...(endTxId === null ? {} : { removeTxHash: repeatedIdToString(endTxId) }),
    ...(endedAt === null ? {} : { removeTimestamp: endedAt }),
  };
}
