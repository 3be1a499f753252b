import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { ObjectLiteral, Repository, SelectQueryBuilder } from 'typeorm';
import type { RewardType } from '../../avalanche/platformvm/state/records.js';
import { UtxoEntity } from '../../indexes/utxos/utxo.entities.js';
import { partitionOf } from '../../platform/database/chains.js';
import type { Statement } from '../../platform/database/database.js';
import { ListDatabase } from '../../platform/database/list-database.js';
import { setOf, ShapedQuery } from '../../platform/database/shaped-query.js';
import { FOLLOWS, follows, type Keyset, ORDERS } from '../../platform/http/pagination/keyset.js';
import { parametersOf, type RewardRequest, type RewardShape, shapeOf } from './reward-request.js';

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

const KEYS = { 'l.block_time': 'bigint', 'l.utxo_id': 'bytea' } as const;

/** Outputs that rewards were paid with, and what they were paid for: each stands under its staker's transaction or under its own. */
@Injectable()
export class PaidRewardRepository {
  private readonly query = new ShapedQuery((shape: RewardShape) => this.build(shape));

  constructor(
    @InjectRepository(UtxoEntity) private readonly utxos: Repository<UtxoEntity>,
    private readonly database: ListDatabase,
  ) {}

  list(request: RewardRequest): Promise<PaidRewardRow[]> {
    return this.database.query<PaidRewardRow>(this.statement(request));
  }

  statement(request: RewardRequest): Statement {
    return this.query.statement(shapeOf(request), parametersOf(request, KEYS));
  }

  private build(shape: RewardShape): SelectQueryBuilder<ObjectLiteral> {
    const { network, sortOrder } = shape;
    const direction = ORDERS[sortOrder];
    const query = this.utxos.manager
      .createQueryBuilder()
      .addCommonTableExpression(shape.hasNodes ? ofNodes(shape) : ofOwners(shape), 'page')
      .select(
        `u.block_time AS "paidAt", u.utxo_id AS "utxoId", u.output_index AS "outputIndex", u.reward_type AS "type",
         u.asset_id AS "assetId", u.amount, u.owner_addresses AS addresses,
         coalesce(v.tx_id, d.tx_id, c.tx_id) AS "txId", coalesce(v.node_id, d.node_id, c.node_id) AS "nodeId",
         coalesce(v.weight, d.weight, c.weight) AS weight, coalesce(v.start_time, d.start_time, c.start_time) AS "start",
         coalesce(v.end_time, d.end_time, c.end_time) AS "end", coalesce(v.end_tx_id, d.end_tx_id, c.reward_tx_id) AS "rewardTxId",
         c.tx_id IS NOT NULL AS "renewsItself"`,
      )
      .from('page', 'page')
      .innerJoin(partitionOf('utxos', network), 'u', `u.network = '${network}' AND u.utxo_id = page.utxo_id`);
    for (const [table, alias, id] of STAKERS) {
      query.leftJoin(
        partitionOf(table, network),
        alias,
        `${alias}.network = '${network}' AND ${alias}.${id} = u.tx_id`,
      );
    }
    return query.orderBy('page.block_time', direction).addOrderBy('page.utxo_id', direction);
  }
}

/** With the transaction that a reward's outputs are numbered under. */
const STAKERS = [
  ['validators', 'v', 'tx_id'],
  ['delegators', 'd', 'tx_id'],
  ['validation_cycles', 'c', 'reward_tx_id'],
] as const;

/** One walk over an index for each owner, merged. */
function ofOwners({ network, sortOrder, limit, hasPlace }: RewardShape): string {
  const conditions = [
    'l.address = one.id AND l.is_reward',
    ...(hasPlace ? [follows(KEYS, FOLLOWS[sortOrder])] : []),
  ];
  return `SELECT DISTINCT found.block_time, found.utxo_id
      FROM ${setOf('addresses', 'bytea')} AS one (id) CROSS JOIN LATERAL (
        SELECT l.block_time, l.utxo_id FROM ${partitionOf('utxo_listings', network, 'P')} l
         WHERE ${conditions.join(' AND ')}
         ORDER BY l.block_time ${sortOrder}, l.utxo_id ${sortOrder} LIMIT ${limit}
      ) found
     ORDER BY block_time ${sortOrder}, utxo_id ${sortOrder} LIMIT ${limit}`;
}

/** All that the stakes of some nodes have brought, sorted. */
function ofNodes({ network, sortOrder, limit, hasPlace, hasAddresses }: RewardShape): string {
  const stakes = STAKERS.map(
    ([table, , id]) =>
      `SELECT ${id} FROM ${partitionOf(table, network)} WHERE node_id = ANY((SELECT :nodeIds)::bytea[])`,
  );
  const conditions = [
    `l.reward_type IS NOT NULL AND l.tx_id = ANY(ARRAY(${stakes.join(' UNION ALL ')}))`,
    ...(hasAddresses ? ['l.owner_addresses && (SELECT :addresses)::bytea[]'] : []),
    ...(hasPlace ? [follows(KEYS, FOLLOWS[sortOrder])] : []),
  ];
  return `SELECT l.block_time, l.utxo_id FROM ${partitionOf('utxos', network)} l WHERE ${conditions.join(' AND ')}
     ORDER BY l.block_time ${sortOrder}, l.utxo_id ${sortOrder} LIMIT ${limit}`;
}
