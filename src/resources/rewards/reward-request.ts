import type { ShortIdHex } from '../../avalanche/ids/text.js';
import type { RewardType } from '../../avalanche/platformvm/state/records.js';
import type { NetworkName } from '../../platform/config/config.module.js';
import { toBytes } from '../../platform/database/shaped-query.js';
import { type Keyset, keysetParameters, type PagePlace } from '../../platform/http/pagination/keyset.js';
import type { SortOrder } from '../../platform/http/schemas/query.schema.js';

export interface RewardRequest extends PagePlace {
  readonly network: NetworkName;
  readonly filters: {
    /** A reward with any of them as owners fits. */
    readonly addresses?: readonly ShortIdHex[] | undefined;
    readonly nodeIds?: readonly ShortIdHex[] | undefined;
  };
  readonly sortOrder: SortOrder;
}

/** What the text of a list's statement follows from. */
export interface RewardShape extends Pick<RewardRequest, 'network' | 'sortOrder' | 'limit'> {
  readonly hasPlace: boolean;
  readonly hasAddresses: boolean;
  readonly hasNodes: boolean;
}

export function shapeOf({ network, sortOrder, limit, after, filters }: RewardRequest): RewardShape {
  const { addresses, nodeIds } = filters;
  const hasPlace = after !== undefined;
  return {
    network,
    sortOrder,
    limit,
    hasPlace,
    hasAddresses: addresses !== undefined,
    hasNodes: nodeIds !== undefined,
  };
}

export function parametersOf(
  { filters: { addresses, nodeIds }, after }: RewardRequest,
  keys: Parameters<typeof keysetParameters>[0],
): Record<string, unknown> {
  return {
    ...(addresses && { addresses: addresses.map(toBytes) }),
    ...(nodeIds && { nodeIds: nodeIds.map(toBytes) }),
    ...keysetParameters(keys, after),
  };
}

/** In the order in which the rewards of one transaction are listed. */
export const REWARD_TYPES = [
  'VALIDATOR',
  'DELEGATOR',
  'VALIDATOR_FEE',
] as const satisfies readonly RewardType[];

/** Amounts are decimal text, ids bytes: rows of the driver. */
export interface PendingRewardRow {
  readonly start: string;
  readonly end: string;
  readonly txId: Buffer;
  readonly nodeId: Buffer;
  readonly kind: number;
  readonly weight: string;
  readonly assetId: Buffer;
  readonly addresses: readonly Buffer[];
  /** Paid if the validator earns it; of an auto-renewed validation, the part that is restaked included. */
  readonly reward: string;
  /** Millionths that are restaked; null where nothing is. */
  readonly restakedShares: number | null;
  /** Whether the stake goes on cycle after cycle; a delegation never does. */
  readonly renewsItself: boolean;
}

export function keysetOf({ start, txId, kind }: PendingRewardRow): Keyset {
  return [start, txId.toString('hex'), String(kind)];
}
