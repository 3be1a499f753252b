import type { ShortIdHex } from '../../avalanche/ids/text.js';
import type { StakingTransaction } from '../../avalanche/platformvm/state/records.js';
import { STAKER_TX_TYPES, type StakerTx } from '../../avalanche/platformvm/transaction.js';
import { DelegatorEntity } from '../../indexes/p-chain/entities/delegator.entities.js';
import { StakingTransactionEntity } from '../../indexes/p-chain/entities/staking-transaction.entities.js';
import { ValidatorEntity } from '../../indexes/p-chain/entities/validator.entity.js';
import type { NetworkName } from '../../platform/config/config.module.js';
import { columnsOf } from '../../platform/database/entity-columns.js';
import type { Keyset, PagePlace } from '../../platform/http/pagination/keyset.js';
import type { SortOrder } from '../../platform/http/schemas/query.schema.js';

/** As nodes and the public API name them. */
export const STAKING_TX_NAMES = STAKER_TX_TYPES.map((type) => `${type}Tx` as const);
export type StakingTxName = `${StakerTx['type']}Tx`;

export interface StakingListRequest extends PagePlace {
  readonly network: NetworkName;
  readonly filters: {
    /** A transaction that has to do with any of them fits. */
    readonly addresses?: readonly ShortIdHex[] | undefined;
    readonly types?: readonly StakerTx['type'][] | undefined;
    /** Times of blocks, both included. */
    readonly from?: number | undefined;
    readonly to?: number | undefined;
  };
  readonly sortOrder: SortOrder;
}

export const STAKING = columnsOf(
  StakingTransactionEntity,
  ...(['txId', 'blockId', 'blockHeight', 'blockTime'] as const),
);
export const UNSIGNED = columnsOf(StakingTransactionEntity, 'unsigned');

const STAKER = ['nodeId', 'subnetId', 'status', 'weight', 'start', 'end', 'potentialReward'] as const;
export const VALIDATION = columnsOf(
  ValidatorEntity,
  ...STAKER,
  ...(['validationRewardsOwner', 'delegationRewardsOwner', 'autoRenewal', 'endedAt'] as const),
);
export const DELEGATION = columnsOf(DelegatorEntity, ...STAKER, 'validatorPart');

/** The staker that a transaction has made. */
export type StakerRow =
  | ({ readonly kind: 'validator' } & ReturnType<typeof VALIDATION.read>)
  | ({ readonly kind: 'delegator' } & ReturnType<typeof DELEGATION.read>);

export interface StakingRow extends StakingTransaction {
  readonly staker: StakerRow;
}

export function keysetOf({ blockTime, txId }: Pick<StakingRow, 'blockTime' | 'txId'>): Keyset {
  return [String(blockTime), txId];
}
