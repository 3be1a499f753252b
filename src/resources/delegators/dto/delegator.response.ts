import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  packAddresses,
  repeatedIdToString,
  repeatedNodeIdToString,
} from '../../../avalanche/ids/repeated-texts.js';
import { EXAMPLES } from '../../../platform/http/openapi/examples.js';
import { bech32List, cb58, nanoAvax, text, unixSeconds } from '../../../platform/http/openapi/fields.js';
import { PageResponse } from '../../../platform/http/openapi/page.response.js';
import { toPercent } from '../../../platform/http/schemas/percent.js';
import { DELEGATION_STATUSES, type DelegationStatus, type DelegatorRow } from '../delegator-list.js';

export class DelegatorResponse {
  @ApiProperty(
    cb58('The transaction that created the delegation.', 'watPfjXCAYKiLjfm8GGwXPrvsJpqeEXa7UngGpJ6exUf8KRBg'),
  )
  txHash!: string;

  @ApiProperty(text('The node that the stake is delegated to.', EXAMPLES.nodeId))
  nodeId!: string;

  @ApiProperty(bech32List('Owners of the reward.', EXAMPLES.address))
  rewardAddresses!: string[];

  @ApiProperty(nanoAvax('Delegated stake.', '200000000000'))
  amountDelegated!: string;

  @ApiProperty(text("The validator's fee, as a percentage of the reward.", '5'))
  delegationFee!: string;

  @ApiProperty(unixSeconds('Start.', 1_795_307_540))
  startTimestamp!: number;

  @ApiProperty(unixSeconds('End, planned or past.', 1_797_035_539))
  endTimestamp!: number;

  @ApiProperty(
    nanoAvax(
      'Reward granted, including the validator’s fee; 0 while the delegation is running and if the reward was refused.',
      '0',
    ),
  )
  grossReward!: string;

  @ApiProperty(nanoAvax('Reward granted, without the validator’s fee.', '0'))
  netReward!: string;

  @ApiPropertyOptional(
    nanoAvax(
      'While running: the reward if the validator earns it, including the validator’s fee.',
      '843315978',
    ),
  )
  estimatedGrossReward?: string;

  @ApiPropertyOptional(nanoAvax('While running: the same reward without the fee.', '801150179'))
  estimatedNetReward?: string;

  @ApiProperty({
    enum: DELEGATION_STATUSES,
    description: 'pending: has not started; active; completed: has ended.',
    example: 'active',
  })
  delegationStatus!: DelegationStatus;
}

export class ListDelegatorsResponse extends PageResponse {
  @ApiProperty({ type: [DelegatorResponse], description: 'At most pageSize delegations.' })
  delegators!: DelegatorResponse[];
}

export function toDelegatorResponse(row: DelegatorRow, hrp: string): DelegatorResponse {
  return {
    txHash: repeatedIdToString(row.txId),
    nodeId: repeatedNodeIdToString(row.nodeId),
    rewardAddresses: packAddresses(row.rewardsOwner.addresses, hrp),
    amountDelegated: row.weight.toString(),
    delegationFee: toPercent(row.shares),
    startTimestamp: row.start,
    endTimestamp: row.end,
    grossReward: row.isRewarded === true ? row.potentialReward.toString() : '0',
    netReward: row.paidReward.toString(),
    ...(row.status === 'completed' ? {} : estimates(row)),
    delegationStatus: row.status,
  };
}

function estimates({ potentialReward, validatorPart }: DelegatorRow): Partial<DelegatorResponse> {
  return {
    estimatedGrossReward: potentialReward.toString(),
    estimatedNetReward: (potentialReward - validatorPart).toString(),
  };
}
