import type { StakerStatus } from '../../avalanche/platformvm/state/staker-status.js';
import type { IdHex } from '../../avalanche/ids/text.js';
import { ObservedNode } from '../../indexes/p-chain/entities/node.entities.js';
import { ValidatorEntity } from '../../indexes/p-chain/entities/validator.entity.js';
import type { NetworkName } from '../../platform/config/config.module.js';
import { columnsOf, columnsWithout } from '../../platform/database/entity-columns.js';
import type { Keyset, PagePlace, SortKeyType } from '../../platform/http/pagination/keyset.js';
import type { SortOrder } from '../../platform/http/schemas/query.schema.js';

export type ValidationStatus = StakerStatus;
export const VALIDATION_STATUSES = [
  'completed',
  'active',
  'pending',
  'removed',
] as const satisfies readonly ValidationStatus[];

export const VALIDATOR_SORT_KEYS = [
  'blockIndex',
  'delegationCapacity',
  'timeRemaining',
  'delegationFee',
  'uptimePerformance',
] as const;
export type ValidatorSortKey = (typeof VALIDATOR_SORT_KEYS)[number];

interface SortKey {
  readonly property: 'blockHeight' | 'end' | 'shares' | 'delegationCapacity' | 'uptimePerformance';
  readonly column: string;
  readonly type: SortKeyType;
  /** Statuses in which a validator can have the key at all. */
  readonly statuses: readonly ValidationStatus[];
  /** Whether rows of these statuses may lack it. */
  readonly isNullable: boolean;
}

const RUNNING = ['active', 'pending'] as const;

export const SORT_KEYS: Readonly<Record<ValidatorSortKey, SortKey>> = {
  blockIndex: {
    property: 'blockHeight',
    column: 'block_height',
    type: 'bigint',
    statuses: VALIDATION_STATUSES,
    isNullable: false,
  },
  // Ended validations have an end and no time remaining, even those that were removed before their end.
  timeRemaining: {
    property: 'end',
    column: 'end_time',
    type: 'bigint',
    statuses: RUNNING,
    isNullable: false,
  },
  // The list is the primary network's, whose validators all have a fee.
  delegationFee: {
    property: 'shares',
    column: 'shares',
    type: 'int',
    statuses: VALIDATION_STATUSES,
    isNullable: false,
  },
  delegationCapacity: {
    property: 'delegationCapacity',
    column: 'delegation_capacity',
    type: 'numeric',
    statuses: RUNNING,
    isNullable: true,
  },
  uptimePerformance: {
    property: 'uptimePerformance',
    column: 'uptime_performance',
    type: 'double precision',
    statuses: ['active'],
    isNullable: true,
  },
};

/** Bounds are inclusive; those left out filter nothing. */
interface Range<Bound> {
  readonly min?: Bound | undefined;
  readonly max?: Bound | undefined;
}

export interface ValidatorFilters {
  readonly status?: ValidationStatus | undefined;
  readonly subnetId?: IdHex | undefined;
  /** Hex ids, or, when there are too many of them, the parts that were asked for. */
  readonly nodes?: { readonly ids: readonly string[] } | { readonly parts: readonly string[] } | undefined;
  readonly delegationCapacity?: Range<bigint> | undefined;
  /** UNIX seconds; fits only what is not over. */
  readonly endTime?: Range<bigint> | undefined;
  /** Millionths. */
  readonly shares?: Range<bigint> | undefined;
  /** Percent. */
  readonly uptimePerformance?: Range<number> | undefined;
}

export interface ValidatorListRequest extends PagePlace {
  readonly network: NetworkName;
  readonly filters: ValidatorFilters;
  readonly sortBy: ValidatorSortKey;
  readonly sortOrder: SortOrder;
}

/** Columns of a validation that a list reads. */
export const VALIDATION = columnsOf(
  ValidatorEntity,
  ...(['txId', 'subnetId', 'nodeId', 'nodeIdText', 'status', 'weight', 'start', 'end'] as const),
  ...(['blockHeight', 'blockTime', 'potentialReward', 'endTxId', 'endedAt', 'isPermissioned'] as const),
  ...(['signer', 'validationRewardsOwner', 'delegationRewardsOwner', 'shares', 'delegateeReward'] as const),
  ...(['paidValidationReward', 'paidDelegationReward', 'delegatedWeight', 'delegatorCount'] as const),
  ...(['totalDelegatedWeight', 'totalDelegatorCount', 'delegationCapacity', 'uptimePerformance'] as const),
  'autoRenewal',
);

/** Observations of an active validator's node by the configured nodes; all null if no node has checked. */
export const OBSERVED = columnsWithout(ObservedNode, 'network', 'nodeId');

export type ObservedRow = {
  readonly [Name in Exclude<keyof ObservedNode, 'network' | 'nodeId'>]: ObservedNode[Name] | null;
};

/** Columns of a validator in a list. */
export type ValidatorRow = ReturnType<typeof VALIDATION.read> &
  ObservedRow & {
    /** Decimal text. */
    readonly subnetWeight: string | null;
    readonly validatorPart: string | null;
  };

/** The key of the row for the next page's token. */
export function keysetOf(sortBy: ValidatorSortKey, row: ValidatorRow): Keyset {
  const { property, statuses } = SORT_KEYS[sortBy];
  const key = statuses.includes(row.status) ? row[property] : null;
  return [key === null ? null : String(key), row.txId];
}

/** Whether a filter may fit so few rows that its own index is the better one to begin with. */
export function isSelective({ nodes, ...filters }: ValidatorFilters): boolean {
  return (nodes !== undefined && 'parts' in nodes) || RANGES.some(({ name }) => filters[name] !== undefined);
}

/** A bound on what only some statuses have leaves the others out; walking those to find nothing would read all of them. */
export function possibleStatuses(filters: ValidatorFilters): readonly ValidationStatus[] {
  const fits = (filter: object | undefined, key: ValidatorSortKey, status: ValidationStatus): boolean =>
    filter === undefined || SORT_KEYS[key].statuses.includes(status);
  return (filters.status === undefined ? VALIDATION_STATUSES : [filters.status]).filter(
    (status) =>
      fits(filters.uptimePerformance, 'uptimePerformance', status) &&
      fits(filters.delegationCapacity, 'delegationCapacity', status) &&
      fits(filters.endTime, 'timeRemaining', status),
  );
}

/** The filters with bounds, by the columns that they are about. */
export const RANGES = [
  { name: 'delegationCapacity', column: 'delegation_capacity', type: 'numeric' },
  { name: 'endTime', column: 'end_time', type: 'bigint' },
  { name: 'shares', column: 'shares', type: 'int' },
  { name: 'uptimePerformance', column: 'uptime_performance', type: 'double precision' },
] as const;
