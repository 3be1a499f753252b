import type { ShortIdHex } from '../../avalanche/ids/text.js';
import type { DelegatorEntity } from '../../indexes/p-chain/entities/delegator.entities.js';
import type { NetworkName } from '../../platform/config/config.module.js';
import type { Keyset, PagePlace } from '../../platform/http/pagination/keyset.js';
import type { SortOrder } from '../../platform/http/schemas/query.schema.js';

export const DELEGATION_STATUSES = ['completed', 'active', 'pending'] as const;
export type DelegationStatus = (typeof DELEGATION_STATUSES)[number];

export interface DelegatorListRequest extends PagePlace {
  readonly network: NetworkName;
  readonly filters: {
    readonly status?: DelegationStatus | undefined;
    /** A delegation with any of them fits. */
    readonly rewardAddresses?: readonly ShortIdHex[] | undefined;
    readonly nodeIds?: readonly ShortIdHex[] | undefined;
  };
  readonly sortOrder: SortOrder;
}

/** Columns of a delegation in a list. */
export interface DelegatorRow extends Pick<
  DelegatorEntity,
  | 'txId'
  | 'nodeId'
  | 'weight'
  | 'shares'
  | 'start'
  | 'end'
  | 'potentialReward'
  | 'validatorPart'
  | 'paidReward'
  | 'isRewarded'
  | 'rewardsOwner'
> {
  readonly status: DelegationStatus;
}

export function keysetOf(row: Pick<DelegatorRow, 'start' | 'txId'>): Keyset {
  return [String(row.start), row.txId];
}
