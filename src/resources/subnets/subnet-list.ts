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
import type {
  BlockchainRow as IndexedBlockchainRow,
  SubnetRow as IndexedSubnetRow,
} from '../../indexes/p-chain/sql/subnet-tables.js';

export interface SubnetListRequest extends PagePlace {
  readonly network: NetworkName;
  readonly sortOrder: SortOrder;
}

const SUBNET_COLUMNS = [
  'subnet_id',
  'block_height',
  'block_time',
  'owner_locktime',
  'owner_threshold',
  'owner_addresses',
  'conversion_tx_id',
  'conversion_manager_chain_id',
  'conversion_manager_address',
] as const;

/** Numbers that may pass 2^53 are decimal text. */
export type SubnetRow = Pick<IndexedSubnetRow, (typeof SUBNET_COLUMNS)[number]>;

const BLOCKCHAIN_COLUMNS = [
  'subnet_id',
  'blockchain_id',
  'name',
  'vm_id',
  'block_height',
  'block_time',
  'evm_chain_id',
] as const;

export interface BlockchainRow extends Pick<
  IndexedBlockchainRow,
  (typeof BLOCKCHAIN_COLUMNS)[number] | 'genesis'
> {
  /** Of this genesis and all before it. */
  readonly genesis_bytes: string;
}

/** By the block that created them, and id. */
export function subnets({ network, sortOrder, after, limit }: SubnetListRequest): Statement {
  const parameters = new SqlParameters();
  const keys = { block_height: 'bigint', subnet_id: 'bytea' } as const;
  const [condition = 'true'] = keysetCondition(parameters, { keys, comparison: FOLLOWS[sortOrder], after });
  return {
    text: `
      SELECT ${SUBNET_COLUMNS.join(', ')}
        FROM ${partitionOf('subnets', network)} WHERE ${condition}
       ORDER BY block_height ${sortOrder}, subnet_id ${sortOrder} LIMIT ${limit}`,
    values: parameters.values,
    onePlan: true,
  };
}

/**
 * The blockchains of the subnets, in the subnets' order. `genesis_bytes` runs over all of them; a genesis that begins within the
 * limit is read, one beyond it stays where it is.
 */
export function blockchainsOf(
  network: NetworkName,
  subnetIds: readonly Buffer[],
  maxGenesisBytes: number,
): Statement {
  return {
    text: `
      SELECT ${BLOCKCHAIN_COLUMNS.join(', ')}, genesis_bytes,
             CASE WHEN genesis_bytes <= ${maxGenesisBytes} THEN genesis END AS genesis
        FROM (
          SELECT b.*, sum(coalesce(octet_length(b.genesis), 0)) OVER (
                   ORDER BY subnet.position, b.block_height, b.blockchain_id ROWS UNBOUNDED PRECEDING
                 ) AS genesis_bytes, subnet.position
            FROM unnest($1::bytea[]) WITH ORDINALITY AS subnet (id, position)
            JOIN ${partitionOf('blockchains', network)} b ON b.subnet_id = subnet.id
        ) counted
       ORDER BY position, block_height, blockchain_id`,
    values: [subnetIds],
    onePlan: true,
  };
}

export function keysetOf(row: SubnetRow): Keyset {
  return [row.block_height, row.subnet_id.toString('hex')];
}
