import type { IdHex } from '../../avalanche/ids/text.js';
import type { NetworkName } from '../../platform/config/config.module.js';
import { partitionOf } from '../../platform/database/partition.js';
import { SqlParameters } from '../../platform/database/sql-parameters.js';
import type { Statement } from '../../platform/database/statement.js';
import {
  FOLLOWS,
  type Keyset,
  keysetCondition,
  type PagePlace,
  type SortKeyType,
} from '../../platform/http/pagination/keyset.js';
import type { SortOrder } from '../../platform/http/schemas/query.schema.js';
import type { ValidatorRow as IndexedRow } from '../../indexes/p-chain/sql/staker-tables.js';
import { OBSERVED_NODE_COLUMNS, type ObservedNodeRow } from './observed-node.js';

export const VALIDATION_STATUSES = ['completed', 'active', 'pending', 'removed'] as const;
export type ValidationStatus = (typeof VALIDATION_STATUSES)[number];

export const VALIDATOR_SORT_KEYS = [
  'blockIndex',
  'delegationCapacity',
  'timeRemaining',
  'delegationFee',
  'uptimePerformance',
] as const;
export type ValidatorSortKey = (typeof VALIDATOR_SORT_KEYS)[number];

interface SortKey {
  readonly column: 'block_height' | 'end_time' | 'shares' | 'delegation_capacity' | 'uptime_performance';
  readonly type: SortKeyType;
  /** Statuses in which a validator can have the key at all. */
  readonly statuses: readonly ValidationStatus[];
  /** Whether rows of these statuses may lack it. */
  readonly isNullable: boolean;
}

const RUNNING = ['active', 'pending'] as const;

const SORT_KEYS: Readonly<Record<ValidatorSortKey, SortKey>> = {
  blockIndex: { column: 'block_height', type: 'bigint', statuses: VALIDATION_STATUSES, isNullable: false },
  // What is over has an end and no time remaining, least of all what was removed before its end.
  timeRemaining: { column: 'end_time', type: 'bigint', statuses: RUNNING, isNullable: false },
  // The list is the primary network's, whose validators all have a fee.
  delegationFee: { column: 'shares', type: 'int', statuses: VALIDATION_STATUSES, isNullable: false },
  delegationCapacity: {
    column: 'delegation_capacity',
    type: 'numeric',
    statuses: RUNNING,
    isNullable: true,
  },
  uptimePerformance: {
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

const COLUMNS = [
  'tx_id',
  'subnet_id',
  'node_id',
  'node_id_text',
  'status',
  'weight',
  'start_time',
  'end_time',
  'block_height',
  'block_time',
  'potential_reward',
  'end_tx_id',
  'ended_at',
  'is_permissioned',
  'signer_public_key',
  'signer_proof_of_possession',
  'validation_rewards_owner_addresses',
  'delegation_rewards_owner_addresses',
  'shares',
  'delegatee_reward',
  'paid_validation_reward',
  'paid_delegation_reward',
  'delegated_weight',
  'delegator_count',
  'total_delegated_weight',
  'total_delegator_count',
  'delegation_capacity',
  'uptime_performance',
  'auto_renewal_authority_addresses',
  'auto_renewal_next_period',
  'auto_renewal_auto_compound_shares',
  'auto_renewal_accrued_validation_rewards',
  'auto_renewal_accrued_delegatee_rewards',
  'auto_renewal_last_payment_tx_id',
  'auto_renewal_last_payment_time',
] as const;

/** What is shown of a validator; numbers that may pass 2^53 are decimal text. */
export type ValidatorRow = Pick<IndexedRow, (typeof COLUMNS)[number]> &
  ObservedNodeRow & {
    readonly subnet_weight: string | null;
    readonly validator_part: string | null;
  };

/** What the validator will get of a running delegation's reward: `splitReward` in SQL, since a list adds up thousands of them. */
export const VALIDATOR_PART = `d.potential_reward - CASE
    WHEN d.potential_reward * (1000000 - d.shares) <= 18446744073709551615
    THEN div(d.potential_reward * (1000000 - d.shares), 1000000)
    ELSE div(d.potential_reward, 1000000) * (1000000 - d.shares) END`;

/** The rows that have the sort key, from `after` on. Undefined when there can be none. */
export function validatorsWithKey(request: ValidatorListRequest): Statement | undefined {
  const { column, type, statuses } = SORT_KEYS[request.sortBy];
  const { after } = request;
  if (after?.[0] === null) return undefined;
  const sorted = isByNode(request.filters) ? `(v.${column} + 0)` : `v.${column}`;
  return merge(request, {
    statuses,
    order: [column, 'tx_id'],
    walkOrder: [sorted, 'v.tx_id'],
    conditions: (parameters) => [
      `v.${column} IS NOT NULL`,
      ...keysetCondition(parameters, {
        keys: { [sorted]: type, 'v.tx_id': 'bytea' },
        comparison: FOLLOWS[request.sortOrder],
        after,
      }),
    ],
  });
}

/** The rows without the sort key, which follow all others, in the order of their ids. Undefined when there can be none. */
export function validatorsWithoutKey(request: ValidatorListRequest): Statement | undefined {
  const { column, statuses, isNullable } = SORT_KEYS[request.sortBy];
  const [key, txId = null] = request.after ?? [];
  const sorted = isByNode(request.filters) ? 'substr(v.tx_id, 1)' : 'v.tx_id';
  return merge(request, {
    statuses: VALIDATION_STATUSES.filter((status) => isNullable || !statuses.includes(status)),
    order: ['tx_id'],
    walkOrder: [sorted],
    conditions: (parameters, status) => [
      ...(statuses.includes(status) ? [`v.${column} IS NULL`] : []),
      ...keysetCondition(parameters, {
        keys: { [sorted]: 'bytea' },
        comparison: FOLLOWS[request.sortOrder],
        after: key === null ? [txId] : undefined,
      }),
    ],
  });
}

/** The key of the row for the next page's token. */
export function keysetOf(sortBy: ValidatorSortKey, row: ValidatorRow): Keyset {
  const { column, statuses } = SORT_KEYS[sortBy];
  const key = statuses.includes(row.status) ? row[column] : null;
  return [key === null ? null : String(key), row.tx_id.toString('hex')];
}

/**
 * One walk per status over the index that has the order, each no longer than the page, merged. The statuses are apart because
 * an index can only be walked in order when all that stands before the key is one value.
 */
function merge(
  request: ValidatorListRequest,
  walk: {
    statuses: readonly ValidationStatus[];
    order: readonly string[];
    /** The same, as it stands in each walk. */
    walkOrder: readonly string[];
    conditions: (parameters: SqlParameters, status: ValidationStatus) => readonly string[];
  },
): Statement | undefined {
  const parameters = new SqlParameters();
  const orderBy = (keys: readonly string[]): string =>
    keys.map((key) => `${key} ${request.sortOrder}`).join(', ');
  const walks = possibleStatuses(request.filters)
    .filter((status) => walk.statuses.includes(status))
    .map((status) => {
      const conditions = [
        `v.status = '${status}'`,
        ...walk.conditions(parameters, status),
        ...filterConditions(request.filters, parameters),
      ];
      return `(SELECT ${COLUMNS.join(', ')} FROM ${partitionOf('validators', request.network)} v WHERE ${conditions.join(' AND ')} ORDER BY ${orderBy(walk.walkOrder)} LIMIT ${request.limit})`;
    });
  if (walks.length === 0) return undefined;
  return {
    text: `
      WITH page AS (SELECT * FROM (${walks.join(' UNION ALL ')}) found ORDER BY ${orderBy(walk.order)} LIMIT ${request.limit})
      SELECT page.*, s.total_weight + coalesce(l1.weight, 0) AS subnet_weight, running.validator_part,
             ${OBSERVED_NODE_COLUMNS.map((column) => `observed.${column}`).join(', ')}
        FROM page
        LEFT JOIN ${partitionOf('subnet_stakes', request.network)} s
          ON s.network = '${request.network}' AND s.subnet_id = page.subnet_id
        LEFT JOIN (
          SELECT l.subnet_id, sum(l.weight) AS weight FROM ${partitionOf('l1_validators', request.network)} l
           WHERE l.weight > 0 AND l.subnet_id = ANY(ARRAY(SELECT DISTINCT subnet_id FROM page WHERE status = 'active'))
           GROUP BY l.subnet_id
        ) l1 ON l1.subnet_id = page.subnet_id
        LEFT JOIN LATERAL (
          SELECT sum(${VALIDATOR_PART}) AS validator_part FROM ${partitionOf('delegators', request.network)} d
           WHERE d.validator_tx_id = page.tx_id AND d.status IN ('pending', 'active')
        ) running ON page.status = 'active'
        LEFT JOIN observed_nodes observed
          ON observed.network = '${request.network}' AND observed.node_id = page.node_id AND page.status = 'active'
       ORDER BY ${orderBy(walk.order.map((column) => `page.${column}`))}`,
    values: parameters.values,
    onePlan: !isSelective(request.filters),
  };
}

/** Whether a filter may fit so few rows that its own index is the better one to begin with. */
function isSelective(filters: ValidatorFilters): boolean {
  const { nodes, delegationCapacity, endTime, shares, uptimePerformance } = filters;
  return [nodes, delegationCapacity, endTime, shares, uptimePerformance].some(
    (filter) => filter !== undefined,
  );
}

/**
 * A few nodes' validations are all taken and sorted. The planner would rather walk a list and hope to meet them soon; a key that is
 * in no index leaves it no other way.
 */
function isByNode({ nodes }: ValidatorFilters): boolean {
  return nodes !== undefined && 'ids' in nodes;
}

/** A bound on what only some statuses have leaves the others out; walking those to find nothing would read all of them. */
function possibleStatuses(filters: ValidatorFilters): readonly ValidationStatus[] {
  const fits = (filter: object | undefined, key: ValidatorSortKey, status: ValidationStatus): boolean =>
    filter === undefined || SORT_KEYS[key].statuses.includes(status);
  return (filters.status === undefined ? VALIDATION_STATUSES : [filters.status]).filter(
    (status) =>
      fits(filters.uptimePerformance, 'uptimePerformance', status) &&
      fits(filters.delegationCapacity, 'delegationCapacity', status) &&
      fits(filters.endTime, 'timeRemaining', status),
  );
}

function filterConditions(filters: ValidatorFilters, parameters: SqlParameters): string[] {
  const { subnetId, nodes } = filters;
  return [
    ...(subnetId === undefined ? [] : [`v.subnet_id = ${parameters.addBytes(subnetId)}`]),
    ...(nodes === undefined ? [] : [nodeCondition(nodes, parameters)]),
    ...between('delegation_capacity', 'numeric', filters.delegationCapacity, parameters),
    ...between('end_time', 'bigint', filters.endTime, parameters),
    ...between('shares', 'int', filters.shares, parameters),
    ...between('uptime_performance', 'double precision', filters.uptimePerformance, parameters),
  ];
}

function nodeCondition(nodes: NonNullable<ValidatorFilters['nodes']>, parameters: SqlParameters): string {
  if ('ids' in nodes) return `v.node_id = ANY(${parameters.addBytesList(nodes.ids)})`;
  return `v.node_id_text LIKE ANY(${parameters.add(nodes.parts.map(likePattern))}::text[])`;
}

/** Node ids hold none of the pattern's own characters. */
export function likePattern(part: string): string {
  return `%${part}%`;
}

function between(
  column: string,
  type: string,
  range: Range<bigint | number> | undefined,
  parameters: SqlParameters,
): string[] {
  const bound = (operator: string, value: bigint | number | undefined): string[] =>
    value === undefined ? [] : [`v.${column} ${operator} ${parameters.add(String(value))}::${type}`];
  return [...bound('>=', range?.min), ...bound('<=', range?.max)];
}
