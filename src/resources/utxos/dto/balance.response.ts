import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { repeatedIdToString } from '../../../avalanche/ids/repeated-texts.js';
import type { PrimaryChain } from '../../../platform/database/chains.js';
import { cb58, count, nanoAvax, text } from '../../../platform/http/openapi/fields.js';
import type { AssetLookup } from '../asset.repository.js';
import type { Holding, HoldingState } from '../balance.repository.js';
import { ChainInfo, describeAsset, UtxoAsset } from '../utxo.response.js';

class AssetBalance extends UtxoAsset {
  @ApiProperty(count('Number of UTXOs.', 3))
  utxoCount!: number;
}

class SharedAssetBalance extends AssetBalance {
  @ApiProperty(cb58('The chain that exported it.', '2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed'))
  sharedWithChainId!: string;

  @ApiProperty(text('Always `importable`: it waits for its import on this chain.', 'importable'))
  status!: string;
}

const assets = (description: string) => ({ type: () => [AssetBalance], description });
const shared = (description: string) => ({ type: () => [SharedAssetBalance], description });

class SharedBalances {
  @ApiProperty(shared('Exported to the chain; can be imported.'))
  atomicMemoryUnlocked!: SharedAssetBalance[];

  @ApiProperty(shared('Exported to the chain; can be imported from a later time on.'))
  atomicMemoryLocked!: SharedAssetBalance[];
}

class PChainBalances extends SharedBalances {
  @ApiProperty(assets('Can be transferred and staked.'))
  unlockedUnstaked!: AssetBalance[];

  @ApiProperty(assets('Staked; can be transferred when the stake ends.'))
  unlockedStaked!: AssetBalance[];

  @ApiProperty(assets('Can be neither transferred nor staked before a time.'))
  lockedPlatform!: AssetBalance[];

  @ApiProperty(assets('Can be staked, and be transferred from a time on.'))
  lockedStakeable!: AssetBalance[];

  @ApiProperty(assets('Staked; when the stake ends it can be staked, but not yet transferred.'))
  lockedStaked!: AssetBalance[];

  @ApiProperty(assets('In a stake that has not begun.'))
  pendingStaked!: AssetBalance[];

  @ApiPropertyOptional(
    nanoAvax('Rewards that auto-renewed validations have restaked; absent with blockTimestamp.', '0'),
  )
  restakedRewards?: string;
}

class XChainBalances extends SharedBalances {
  @ApiProperty(assets('Can be transferred.'))
  unlocked!: AssetBalance[];

  @ApiProperty(assets('Can be transferred from a later time on.'))
  locked!: AssetBalance[];
}

class CChainBalances extends SharedBalances {}

const BALANCES = [PChainBalances, XChainBalances, CChainBalances];
type Balances = PChainBalances | XChainBalances | CChainBalances;

@ApiExtraModels(...BALANCES)
export class GetBalancesResponse {
  @ApiProperty({
    // Not oneOf: each of them has what the C-chain's has.
    anyOf: BALANCES.map((balances) => ({ $ref: getSchemaPath(balances) })),
    description:
      'Sums by asset and state, of the P-, X- or C-chain. Every UTXO is in one of them, except rights to mint.',
  })
  balances!: Balances;

  @ApiProperty({ type: ChainInfo, description: 'The chain and network of the balances.' })
  chainInfo!: ChainInfo;
}

export function toBalances(
  chain: PrimaryChain,
  holdings: readonly Holding[],
  assetOf: AssetLookup,
): Balances {
  const inState = (state: HoldingState): Holding[] => holdings.filter((holding) => holding.state === state);
  const own = (state: HoldingState): AssetBalance[] =>
    inState(state).map((holding) => toAssetBalance(holding, assetOf));
  const fromOthers = (state: HoldingState): SharedAssetBalance[] =>
    inState(state).map((holding) => ({
      ...toAssetBalance(holding, assetOf),
      sharedWithChainId: repeatedIdToString(holding.sharedWith ?? ''),
      status: 'importable',
    }));
  const atomic = {
    atomicMemoryUnlocked: fromOthers('shared'),
    atomicMemoryLocked: fromOthers('shared-locked'),
  };
  switch (chain) {
    case 'P':
      return {
        unlockedUnstaked: own('unlocked'),
        unlockedStaked: own('staked'),
        lockedPlatform: own('platform'),
        lockedStakeable: own('stakeable'),
        lockedStaked: own('stakeable-staked'),
        pendingStaked: own('pending'),
        ...atomic,
      };
    case 'X':
      return { unlocked: own('unlocked'), locked: own('platform'), ...atomic };
    case 'C':
      return atomic;
  }
}

function toAssetBalance(holding: Holding, assetOf: AssetLookup): AssetBalance {
  return {
    assetId: repeatedIdToString(holding.assetId),
    ...describeAsset(holding, assetOf),
    amount: holding.amount,
    utxoCount: holding.count,
  };
}
