import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { packAddress } from '../../avalanche/ids/address.js';
import { idToString } from '../../avalanche/ids/id.js';
import { nodeIdToString } from '../../avalanche/ids/node-id.js';
import { splitReward } from '../../avalanche/platformvm/state/rewards.js';
import { toPercent } from '../../http/percent.js';
import { DELEGATION_STATUSES, type DelegationStatus, type DelegatorRow } from '../delegator-list.js';

const DECIMAL = { type: 'string', pattern: '^\\d+$' } as const;

export class DelegatorResponse {
  @ApiProperty()
  txHash: string;

  @ApiProperty({ example: 'NodeID-…' })
  nodeId: string;

  @ApiProperty({ type: [String], description: 'Bech32 without a chain in front.' })
  rewardAddresses: string[];

  @ApiProperty(DECIMAL)
  amountDelegated: string;

  @ApiProperty({ description: "The validator's fee in percent.", example: '2' })
  delegationFee: string;

  @ApiProperty({ type: 'integer' })
  startTimestamp: number;

  @ApiProperty({ type: 'integer' })
  endTimestamp: number;

  @ApiProperty({ ...DECIMAL, description: 'Granted; 0 while running and when the reward was refused.' })
  grossReward: string;

  @ApiProperty({ ...DECIMAL, description: "Without the validator's fee." })
  netReward: string;

  @ApiPropertyOptional({ ...DECIMAL, description: 'While running.' })
  estimatedGrossReward?: string;

  @ApiPropertyOptional({ ...DECIMAL, description: 'While running.' })
  estimatedNetReward?: string;

  @ApiProperty({ enum: DELEGATION_STATUSES })
  delegationStatus: DelegationStatus;
}

export class ListDelegatorsResponse {
  @ApiPropertyOptional({ description: 'Absent on the last page.' })
  nextPageToken?: string;

  @ApiProperty({ type: [DelegatorResponse] })
  delegators: DelegatorResponse[];
}

export function toDelegatorResponse(row: DelegatorRow, hrp: string): DelegatorResponse {
  return {
    txHash: idToString(row.tx_id),
    nodeId: nodeIdToString(row.node_id),
    rewardAddresses: row.rewards_owner_addresses.map((bytes) => packAddress({ hrp, bytes })),
    amountDelegated: row.weight,
    delegationFee: toPercent(row.shares),
    startTimestamp: Number(row.start_time),
    endTimestamp: Number(row.end_time),
    grossReward: row.is_rewarded === true ? row.potential_reward : '0',
    netReward: row.paid_reward,
    ...(row.status === 'completed' ? {} : estimates(row)),
    delegationStatus: row.status,
  };
}

function estimates({ potential_reward, shares }: DelegatorRow): Partial<DelegatorResponse> {
  return {
    estimatedGrossReward: potential_reward,
    estimatedNetReward: splitReward(BigInt(potential_reward), shares).left.toString(),
  };
}
