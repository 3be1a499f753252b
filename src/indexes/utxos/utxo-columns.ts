import { columnsOf } from '../../platform/database/entity-columns.js';
import { UtxoEntity } from './utxo.entities.js';

/** Known to the creation and to the consumption. */
export const IDENTITY = columnsOf(
  UtxoEntity,
  ...([
    'utxoId',
    'txId',
    'outputIndex',
    'assetId',
    'amount',
    'createdOnChainId',
    'spendableOnChainId',
  ] as const),
);

/** Known to the creation alone. */
export const CREATION = columnsOf(
  UtxoEntity,
  ...([
    'blockHeight',
    'blockTime',
    'stakeableLocktime',
    'owner',
    'outputKind',
    'groupId',
    'payload',
  ] as const),
  ...(['rewardType', 'isStakeOutput', 'isStaked', 'stakeStart', 'stakeEnd'] as const),
);

/** Known to the consumption alone. */
export const CONSUMPTION = columnsOf(
  UtxoEntity,
  ...(['consumingTxId', 'consumingBlockHeight', 'consumingBlockTime'] as const),
);

export const STAKE_WINDOW = columnsOf(UtxoEntity, 'utxoId', 'isStaked', 'stakeStart', 'stakeEnd');
