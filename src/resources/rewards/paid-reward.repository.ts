import { Injectable } from '@nestjs/common';
import type { ShortIdHex } from '../../avalanche/ids/text.js';
import type { RewardType } from '../../avalanche/platformvm/state/records.js';
import type { NetworkName } from '../../platform/config/config.module.js';
import { partitionOf } from '../../platform/database/chains.js';
import { Database, type Statement } from '../../platform/database/database.js';
import { toBytes } from '../../platform/database/shaped-query.js';
import type { Keyset } from '../../platform/http/pagination/keyset.js';
import type { RewardRequest } from './reward-request.js';

/** Amounts are decimal text, ids bytes: rows of the driver. */
export interface PaidRewardRow {
  readonly paidAt: string;
  readonly utxoId: Buffer;
  readonly outputIndex: string;
  readonly rewardTxId: Buffer | null;
  readonly txId: Buffer;
  readonly nodeId: Buffer;
  readonly weight: string;
  readonly start: string;
  readonly end: string;
  readonly type: RewardType;
  readonly assetId: Buffer;
  readonly amount: string;
  readonly addresses: readonly Buffer[];
  readonly renewsItself: boolean;
}

export function paidKeysetOf({ paidAt, utxoId }: PaidRewardRow): Keyset {
  return [paidAt, utxoId.toString('hex')];
}

/** Outputs that rewards were paid with, and what they were paid for: each stands under its staker's transaction or under its own. */
@Injectable()
export class PaidRewardRepository {
  constructor(private readonly database: Database) {}

  list(request: RewardRequest): Promise<PaidRewardRow[]> {
    return this.database.query<PaidRewardRow>(this.statement(request));
  }

  statement({ network, filters, sortOrder, limit, after }: RewardRequest): Statement {
    const { addresses, nodeIds } = filters;
    const values: unknown[] = [limit];
    const parameter = (value: unknown): string => `$${values.push(value)}`;
    const bytes = (ids: readonly ShortIdHex[]): string => `${parameter(ids.map(toBytes))}::bytea[]`;
    const conditions = ['u.reward_type IS NOT NULL'];
    if (addresses !== undefined) conditions.push(`u.owner_addresses && ${bytes(addresses)}`);
    if (nodeIds !== undefined) conditions.push(`u.tx_id IN (${stakesOf(network, bytes(nodeIds))})`);
    const [paidAt, utxoId] = after ?? [];
    if (paidAt != null && utxoId != null) {
      const place = `(${parameter(paidAt)}::bigint, ${parameter(toBytes(utxoId))}::bytea)`;
      conditions.push(`(u.block_time, u.utxo_id) ${sortOrder === 'asc' ? '>' : '<'} ${place}`);
    }
    return {
      text: `SELECT u.block_time AS "paidAt", u.utxo_id AS "utxoId", u.output_index AS "outputIndex", u.reward_type AS "type",
          u.asset_id AS "assetId", u.amount, u.owner_addresses AS addresses, s.tx_id AS "txId", s.node_id AS "nodeId", s.weight,
          s.start_time AS "start", s.end_time AS "end", s.reward_tx_id AS "rewardTxId", s.renews_itself AS "renewsItself"
        FROM ${partitionOf('utxos', network)} u CROSS JOIN LATERAL (${staker(network)}) s
       WHERE ${conditions.join(' AND ')}
       ORDER BY u.block_time ${sortOrder}, u.utxo_id ${sortOrder} LIMIT $1`,
      values,
    };
  }
}

/** Transactions that the outputs of a node's rewards are numbered under. */
function stakesOf(network: NetworkName, nodeIds: string): string {
  const of = (table: string, id: string): string =>
    `SELECT ${id} FROM ${partitionOf(table, network)} WHERE node_id = ANY (${nodeIds})`;
  return [of('validators', 'tx_id'), of('delegators', 'tx_id'), of('validation_cycles', 'reward_tx_id')].join(
    ' UNION ALL ',
  );
}

function staker(network: NetworkName): string {
  const of = (table: string, rewardTxId: string, { key, renews }: { key: string; renews: boolean }): string =>
    `SELECT tx_id, node_id, weight, start_time, end_time, ${rewardTxId} AS reward_tx_id, ${renews} AS renews_itself
       FROM ${partitionOf(table, network)} WHERE ${key} = u.tx_id`;
  return [
    of('validators', 'end_tx_id', { key: 'tx_id', renews: false }),
    of('delegators', 'end_tx_id', { key: 'tx_id', renews: false }),
    of('validation_cycles', 'reward_tx_id', { key: 'reward_tx_id', renews: true }),
  ].join(' UNION ALL ');
}
