import { ApiProperty } from '@nestjs/swagger';
import { idToString } from '../../../avalanche/ids/id.js';
import { toHex } from '../../../avalanche/ids/hex.js';
import { packAddresses, repeatedNodeIdToString } from '../../../avalanche/ids/repeated-texts.js';
import type { RewardType } from '../../../avalanche/platformvm/state/records.js';
import { withoutRestaked } from '../../../avalanche/platformvm/state/rewards.js';
import { EXAMPLES } from '../../../platform/http/openapi/examples.js';
import { bech32List, cb58, nanoAvax, text, unixSeconds } from '../../../platform/http/openapi/fields.js';
import { PageResponse } from '../../../platform/http/openapi/page.response.js';
import type { Asset } from '../../utxos/asset.repository.js';
import { STAKING_TYPE, type StakingType } from '../../validators/auto-renew-state.js';
import { type PendingRewardRow, REWARD_TYPES } from '../reward-request.js';
import { RewardAsset, toRewardAsset } from './reward-asset.js';

export class PendingRewardResponse {
  @ApiProperty(bech32List('Who will get it.', EXAMPLES.address))
  addresses!: string[];

  @ApiProperty(
    cb58(
      'The transaction that staked; of a fee, that of the delegation.',
      'watPfjXCAYKiLjfm8GGwXPrvsJpqeEXa7UngGpJ6exUf8KRBg',
    ),
  )
  txHash!: string;

  @ApiProperty(nanoAvax('The stake.', '200000000000'))
  amountStaked!: string;

  @ApiProperty(text('The node that validates.', EXAMPLES.nodeId))
  nodeId!: string;

  @ApiProperty(unixSeconds('Start.', 1_795_307_540))
  startTimestamp!: number;

  @ApiProperty(unixSeconds('End, of an auto-renewed validation that of its current cycle.', 1_797_035_539))
  endTimestamp!: number;

  @ApiProperty(STAKING_TYPE)
  stakingType!: StakingType;

  @ApiProperty({
    enum: REWARD_TYPES,
    description:
      "VALIDATOR, DELEGATOR: of one's own stake; VALIDATOR_FEE: the validator's part of a delegation's reward.",
    example: 'DELEGATOR',
  })
  rewardType!: RewardType;

  @ApiProperty({
    type: 'number',
    minimum: 0,
    maximum: 100,
    description: 'How much of the time has passed, in percent.',
    example: 12.5,
  })
  progress!: number;

  @ApiProperty({
    type: RewardAsset,
    description: 'The amount that is paid out if the validator earns it, without what is restaked.',
  })
  estimatedReward!: RewardAsset;
}

export class ListPendingRewardsResponse extends PageResponse {
  @ApiProperty({ type: [PendingRewardResponse], description: 'At most pageSize rewards.' })
  pendingRewards!: PendingRewardResponse[];
}

export function toPendingReward(
  row: PendingRewardRow,
  { hrp, asset, nowSeconds }: { hrp: string; asset: Asset; nowSeconds: number },
): PendingRewardResponse {
  const [start, end] = [Number(row.start), Number(row.end)];
  const rewardType = REWARD_TYPES[row.kind];
  if (rewardType === undefined) throw new RangeError(`no kind ${row.kind} of reward`);
  const paid = withoutRestaked(BigInt(row.reward), row.restakedShares);
  return {
    addresses: packAddresses(row.addresses.map(toHex), hrp),
    txHash: idToString(row.txId),
    amountStaked: row.weight,
    nodeId: repeatedNodeIdToString(toHex(row.nodeId)),
    startTimestamp: start,
    endTimestamp: end,
    stakingType: row.renewsItself ? 'autoRenewed' : 'fixed',
    rewardType,
    progress: Math.min(100, Math.max(0, ((nowSeconds - start) / (end - start)) * 100)),
    estimatedReward: toRewardAsset(row.assetId, asset, paid.toString()),
  };
}
