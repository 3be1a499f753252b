import { ApiProperty } from '@nestjs/swagger';
import { idToString } from '../../../avalanche/ids/id.js';
import { toHex } from '../../../avalanche/ids/hex.js';
import { packAddresses, repeatedNodeIdToString } from '../../../avalanche/ids/repeated-texts.js';
import type { RewardType } from '../../../avalanche/platformvm/state/records.js';
import { EXAMPLES } from '../../../platform/http/openapi/examples.js';
import {
  bech32List,
  cb58,
  count,
  nanoAvax,
  text,
  unixSeconds,
} from '../../../platform/http/openapi/fields.js';
import { PageResponse } from '../../../platform/http/openapi/page.response.js';
import type { Asset } from '../../utxos/asset.repository.js';
import { STAKING_TYPE, type StakingType } from '../../validators/auto-renew-state.js';
import type { PaidRewardRow } from '../paid-reward.repository.js';
import { REWARD_TYPES } from '../reward-request.js';
import { RewardAsset, toRewardAsset } from './reward-asset.js';

export class PaidRewardResponse {
  @ApiProperty(bech32List('Who got it.', EXAMPLES.address))
  addresses!: string[];

  @ApiProperty(
    cb58(
      'The transaction that staked; of fees that were paid at the end of a validation, that of the validation.',
      'watPfjXCAYKiLjfm8GGwXPrvsJpqeEXa7UngGpJ6exUf8KRBg',
    ),
  )
  txHash!: string;

  @ApiProperty(nanoAvax('The stake; of a cycle, at its start.', '200000000000'))
  amountStaked!: string;

  @ApiProperty(text('The node that validated.', EXAMPLES.nodeId))
  nodeId!: string;

  @ApiProperty(unixSeconds('Start, of a cycle its own.', 1_795_307_540))
  startTimestamp!: number;

  @ApiProperty(unixSeconds('End, of a cycle its own.', 1_797_035_539))
  endTimestamp!: number;

  @ApiProperty(STAKING_TYPE)
  stakingType!: StakingType;

  @ApiProperty({
    enum: REWARD_TYPES,
    description: "VALIDATOR, DELEGATOR: of one's own stake; VALIDATOR_FEE: of delegations to the validator.",
    example: 'DELEGATOR',
  })
  rewardType!: RewardType;

  @ApiProperty(
    cb58('The output that it was paid with.', '2ZKbwERx36B5WrYesQGAeTV4NTo4dx6j8svkjwAEix89ZPencR'),
  )
  utxoId!: string;

  @ApiProperty(count('Index of that output.', 2))
  outputIndex!: number;

  @ApiProperty(cb58('The transaction that paid it.', '2o3cvaQAtAgU1E1Dm6dVHVXGPWSZTLVJLGtG7KNpkEX4tGDd2F'))
  rewardTxHash!: string;

  @ApiProperty({ type: RewardAsset, description: 'The amount that was paid.' })
  reward!: RewardAsset;
}

export class ListPaidRewardsResponse extends PageResponse {
  @ApiProperty({ type: [PaidRewardResponse], description: 'At most pageSize rewards.' })
  historicalRewards!: PaidRewardResponse[];
}

export function toPaidReward(
  row: PaidRewardRow,
  { hrp, asset }: { hrp: string; asset: Asset },
): PaidRewardResponse {
  return {
    addresses: packAddresses(row.addresses.map(toHex), hrp),
    txHash: idToString(row.txId),
    amountStaked: row.weight,
    nodeId: repeatedNodeIdToString(toHex(row.nodeId)),
    startTimestamp: Number(row.start),
    endTimestamp: Number(row.end),
    stakingType: row.renewsItself ? 'autoRenewed' : 'fixed',
    rewardType: row.type,
    utxoId: idToString(row.utxoId),
    outputIndex: Number(row.outputIndex),
    rewardTxHash: idToString(row.rewardTxId ?? row.txId),
    reward: toRewardAsset(row.assetId, asset, row.amount),
  };
}
