import type { ShortIdHex } from '../../avalanche/ids/text.js';
import type { NetworkName } from '../../platform/config/config.module.js';
import { partitionOf } from '../../platform/database/partition.js';
import { SqlParameters } from '../../platform/database/sql-parameters.js';
import type { Statement } from '../../platform/database/statement.js';
import {
  FOLLOWS,
  type Keyset,
  keysetCondition,
  type PagePlace,
} from '../../platform/http/pagination/keyset.js';
import type { SortOrder } from '../../platform/http/schemas/query.schema.js';
import type { DelegatorRow as IndexedRow } from '../../indexes/p-chain/sql/staker-tables.js';

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

const COLUMNS = [
  'tx_id',
  'node_id',
  'status',
  'weight',
  'shares',
  'start_time',
  'end_time',
  'potential_reward',
  'paid_reward',
  'is_rewarded',
  'rewards_owner_addresses',
] as const;

/** What is shown of a delegation; numbers that may pass 2^53 are decimal text. */
export interface DelegatorRow extends Pick<IndexedRow, (typeof COLUMNS)[number]> {
  readonly status: DelegationStatus;
}

/** By start and transaction id. One walk over an index for each status and each address or node, merged. */
export function delegators(request: DelegatorListRequest): Statement {
  const { network, filters, sortOrder, limit } = request;
  const parameters = new SqlParameters();
  const orderBy = `start_time ${sortOrder}, tx_id ${sortOrder}`;
  const statuses = filters.status === undefined ? DELEGATION_STATUSES : [filters.status];
  const walk = walkOf(request, parameters);
  const keys = `
    SELECT DISTINCT found.start_time, found.tx_id
      FROM ${parameters.addSet('text', statuses)} AS status (value)${walk.each}
     CROSS JOIN LATERAL (
       SELECT d.start_time, d.tx_id FROM ${walk.table} d
        WHERE ${['d.status = status.value', ...walk.conditions].join(' AND ')}
        ORDER BY ${orderBy} LIMIT ${limit}
     ) found
     ORDER BY ${orderBy} LIMIT ${limit}`;
  return {
    text: `
      SELECT ${COLUMNS.map((name) => `d.${name}`).join(', ')}
        FROM (${keys}) page
        JOIN ${partitionOf('delegators', network)} d ON d.network = '${network}' AND d.tx_id = page.tx_id
       ORDER BY page.start_time ${sortOrder}, page.tx_id ${sortOrder}`,
    values: parameters.values,
    onePlan: true,
  };
}

interface Walk {
  readonly table: string;
  /** What there is one walk for besides the status. */
  readonly each: string;
  readonly conditions: readonly string[];
}

function walkOf(
  { network, filters, after, sortOrder }: DelegatorListRequest,
  parameters: SqlParameters,
): Walk {
  const table = partitionOf('delegators', network);
  const { rewardAddresses, nodeIds } = filters;
  const keys = { 'd.start_time': 'bigint', 'd.tx_id': 'bytea' } as const;
  const conditions = keysetCondition(parameters, { keys, comparison: FOLLOWS[sortOrder], after });
  const oneOf = (ids: readonly ShortIdHex[]): string =>
    ` CROSS JOIN ${parameters.addBytesSet(ids)} AS one (id)`;
  if (rewardAddresses !== undefined) {
    return {
      table: partitionOf('delegator_reward_addresses', network),
      each: oneOf(rewardAddresses),
      conditions: [
        'd.address = one.id',
        ...(nodeIds === undefined ? [] : [`d.node_id = ANY(${parameters.addBytesList(nodeIds)})`]),
        ...conditions,
      ],
    };
  }
  if (nodeIds !== undefined) {
    return { table, each: oneOf(nodeIds), conditions: ['d.node_id = one.id', ...conditions] };
  }
  return { table, each: '', conditions };
}

export function keysetOf(row: DelegatorRow): Keyset {
  return [row.start_time, row.tx_id.toString('hex')];
}
