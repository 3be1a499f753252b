import { Injectable } from '@nestjs/common';
import { evmChainKey, partitionOf } from '../../platform/database/chains.js';
import { Database, type Statement } from '../../platform/database/database.js';
import { toBytes } from '../../platform/database/shaped-query.js';
import { MESSAGE_PROJECTION } from '../interchain-messages/message-projection.js';
import type { FedChain } from './fed-chains.js';

/** Some blocks of one chain: `from` excluded, `to` included. */
export interface OutlinedBlocks {
  /** Hex, of a chain with UTXOs. */
  readonly chainId: string | undefined;
  readonly from: bigint;
  readonly to: bigint;
}

interface BlockOutline {
  /** The first block with a log that no message has been made of yet; decimal text. */
  readonly pending: string | null;
  /** Whether there is any row of these blocks, whosever it is. */
  readonly hasChanges: boolean;
}

/** Whether some blocks have anything, whosever it is. */
@Injectable()
export class BlockOutlineRepository {
  constructor(private readonly database: Database) {}

  async find(chain: FedChain, blocks: OutlinedBlocks): Promise<BlockOutline> {
    const [row] = await this.database.query<BlockOutline>(this.statement(chain, blocks));
    return row ?? { pending: null, hasChanges: false };
  }

  statement(
    { network, utxos, evm, messageSets }: FedChain,
    { chainId, from, to }: OutlinedBlocks,
  ): Statement {
    const values: unknown[] = [from, to];
    const add = (value: unknown, type: string): string => `$${values.push(value)}::${type}`;
    const found: string[] = [];
    if (utxos === 'P') {
      const members = partitionOf('validator_set_members', network);
      found.push(isAnyOf(members, 'from_height'), isAnyOf(members, 'until_height'));
    }
    if (utxos !== undefined && chainId !== undefined) {
      const isOwn = `created_on_chain_id = ${add(toBytes(chainId), 'bytea')}`;
      found.push(isAnyOf(partitionOf('utxos', network), 'block_height', isOwn));
      found.push(isAnyOf(partitionOf('utxo_listings', network, utxos), 'spent_height', "address = ''"));
    }
    let pending = 'NULL';
    if (evm !== undefined && messageSets.length > 0) {
      const key = add(evmChainKey(evm), 'bigint');
      for (const table of ['icm_sends', 'icm_deliveries', 'icm_executions']) {
        found.push(isAnyOf(partitionOf(table, network), 'height', `chain_key = ${key}`));
      }
      pending = `SELECT min(height) FROM evm_logs
                  WHERE chain_key = ${key} AND log_set = ANY (${add(messageSets, 'text[]')}) AND ${isInRange('height')}
                    AND seq > coalesce((SELECT seq FROM projection_checkpoints
                                         WHERE chain_key = ${key} AND projection = ${add(MESSAGE_PROJECTION.name, 'text')}
                                           AND version = ${add(MESSAGE_PROJECTION.version, 'int')}), 0)`;
    }
    return {
      text: `SELECT (${pending})::text AS pending, ${['false', ...found].join(' OR ')} AS "hasChanges"`,
      values,
      onePlan: true,
    };
  }
}

const isInRange = (column: string): string => `${column} > $1::bigint AND ${column} <= $2::bigint`;

/** In the order of the heights, so that their index is used, however few rows the planner takes the table to have. */
function isAnyOf(table: string, column: string, which = 'true'): string {
  return `(SELECT true FROM ${table} WHERE ${isInRange(column)} AND ${which} ORDER BY ${column} LIMIT 1) IS NOT NULL`;
}
