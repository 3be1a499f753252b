import { ApiProperty } from '@nestjs/swagger';
import { idToString } from '../../../avalanche/ids/id.js';
import { cb58, count, decimal, text } from '../../../platform/http/openapi/fields.js';
import type { Asset } from '../../utxos/asset.repository.js';

export class RewardAsset {
  @ApiProperty(cb58('The asset of the reward.', '2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe'))
  assetId!: string;

  @ApiProperty(text('Name of the asset; empty while the asset is not indexed.', 'Avalanche'))
  name!: string;

  @ApiProperty(text('Symbol of the asset; empty while the asset is not indexed.', 'AVAX'))
  symbol!: string;

  @ApiProperty(count('Number of decimal places of the asset.', 9))
  denomination!: number;

  @ApiProperty({ enum: ['secp256k1'], description: 'Kind of the output: an amount.', example: 'secp256k1' })
  type!: 'secp256k1';

  @ApiProperty(decimal("Amount in the asset's smallest unit: nAVAX for AVAX.", '801150179'))
  amount!: string;
}

export function toRewardAsset(
  assetId: Uint8Array,
  { name, symbol, denomination }: Asset,
  amount: string,
): RewardAsset {
  return { assetId: idToString(assetId), name, symbol, denomination, type: 'secp256k1', amount };
}
