import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { ObjectLiteral, Repository, SelectQueryBuilder } from 'typeorm';
import { VALIDATOR_TX_TYPES } from '../../avalanche/platformvm/transaction.js';
import { ValidatorEntity } from '../../indexes/p-chain/entities/validator.entity.js';
import { partitionOf } from '../../platform/database/chains.js';
import type { Statement } from '../../platform/database/database.js';
import { ListDatabase } from '../../platform/database/list-database.js';
import { setOf, ShapedQuery } from '../../platform/database/shaped-query.js';
import { FOLLOWS, follows, ORDERS } from '../../platform/http/pagination/keyset.js';
import {
  parametersOf,
  type PendingRewardRow,
  type RewardRequest,
  type RewardShape,
  shapeOf,
} from './reward-request.js';

/** Of a page; the kind is a number in each walk. */
const KEYS = { start_time: 'bigint', tx_id: 'bytea', kind: 'int' } as const;
const TYPES = VALIDATOR_TX_TYPES.map((type) => `'${type}'`).join(', ');

/** Rewards of the stakers that run. The fee of a delegation is the part that its validator takes. */
@Injectable()
export class PendingRewardRepository {
  private readonly query = new ShapedQuery((shape: RewardShape) => this.build(shape));

  constructor(
    @InjectRepository(ValidatorEntity) private readonly validators: Repository<ValidatorEntity>,
    private readonly database: ListDatabase,
  ) {}

  list(request: RewardRequest): Promise<PendingRewardRow[]> {
    return this.database.query<PendingRewardRow>(this.statement(request));
  }

  statement(request: RewardRequest): Statement {
    return this.query.statement(shapeOf(request), parametersOf(request, KEYS));
  }

  private build(shape: RewardShape): SelectQueryBuilder<ObjectLiteral> {
    const { network, sortOrder } = shape;
    const direction = ORDERS[sortOrder];
    const query = this.validators.manager
      .createQueryBuilder()
      .addCommonTableExpression(validators(shape), 'validator')
      .addCommonTableExpression(page(shape), 'page')
      .from('page', 'page')
      .leftJoin(
        partitionOf('delegators', network),
        'd',
        `page.kind > 0 AND d.network = '${network}' AND d.tx_id = page.tx_id`,
      )
      .innerJoin(
        partitionOf('validators', network),
        'v',
        `v.network = '${network}' AND v.tx_id = coalesce(d.validator_tx_id, page.tx_id)`,
      )
      // The last cycle pays everything.
      .select(
        `page.start_time AS "start", coalesce(d.end_time, v.end_time) AS "end", page.tx_id AS "txId", v.node_id AS "nodeId", page.kind,
         coalesce(d.weight, v.weight) AS weight, v.stake_asset_id AS "assetId",
         CASE page.kind WHEN 0 THEN v.validation_rewards_owner_addresses WHEN 1 THEN d.rewards_owner_addresses
           ELSE v.delegation_rewards_owner_addresses END AS addresses,
         CASE page.kind WHEN 0 THEN v.potential_reward WHEN 1 THEN ${OWN_PART} ELSE d.validator_part END AS reward,
         CASE WHEN page.kind <> 1 AND v.auto_renewal_next_period > 0 THEN v.auto_renewal_auto_compound_shares END AS "restakedShares",
         page.kind = 0 AND v.auto_renewal_next_period IS NOT NULL AS "renewsItself"`,
      );
    for (const key of Object.keys(KEYS)) query.addOrderBy(`page.${key}`, direction);
    return query;
  }
}

const OWN_PART = 'd.potential_reward - d.validator_part';

/** Those with one of the nodes, or in whose transactions one of the addresses stands: all owners of their rewards do. */
function validators({ network, hasAddresses, hasNodes }: RewardShape): string {
  const conditions = [
    `v.network = '${network}' AND v.status = 'active' AND NOT v.is_permissioned`,
    ...(hasNodes ? ['v.node_id = ANY((SELECT :nodeIds)::bytea[])'] : []),
    ...(hasAddresses
      ? [
          `v.tx_id = ANY(ARRAY(SELECT l.tx_id FROM ${partitionOf('staking_listings', network)} l
             WHERE l.network = '${network}' AND l.address = ANY((SELECT :addresses)::bytea[]) AND l.tx_type IN (${TYPES})))`,
        ]
      : []),
  ];
  return `SELECT v.tx_id, v.node_id, v.start_time, v.potential_reward, v.validation_rewards_owner_addresses,
                 v.delegation_rewards_owner_addresses
            FROM ${partitionOf('validators', network)} v WHERE ${conditions.join(' AND ')}`;
}

/** Validators are few, of an owner or a node; of the delegations of each, and of each owner's own, one walk takes no more than the page. */
function page(shape: RewardShape): string {
  const { network, sortOrder, limit, hasAddresses, hasNodes } = shape;
  const delegators = partitionOf('delegators', network);
  const after = (alias: string, kind: number): string[] =>
    shape.hasPlace
      ? [
          follows(
            { [`${alias}.start_time`]: 'bigint', [`${alias}.tx_id`]: 'bytea', [`(${kind})`]: 'int' },
            FOLLOWS[sortOrder],
          ),
        ]
      : [];
  const owns = (owner: string): string[] =>
    hasAddresses ? [`v.${owner}_rewards_owner_addresses && (SELECT :addresses)::bytea[]`] : [];
  const inOrder = (alias: string): string =>
    `ORDER BY ${alias}.start_time ${sortOrder}, ${alias}.tx_id ${sortOrder}`;
  const own = ['v.potential_reward > 0', ...owns('validation'), ...after('v', 0)];
  // OFFSET 0 keeps the walk in the order of the node's delegations: nearly all of them are to the validator that runs.
  const delegationsTo = (kind: number, reward: string, where: readonly string[]): string =>
    `SELECT found.start_time, found.tx_id, ${kind} AS kind FROM validator v CROSS JOIN LATERAL (
       SELECT d.start_time, d.tx_id FROM (
         SELECT * FROM ${delegators} d
          WHERE ${['d.node_id = v.node_id', "d.status = 'active'", ...after('d', kind)].join(' AND ')} ${inOrder('d')} OFFSET 0
       ) d WHERE d.validator_tx_id = v.tx_id AND ${reward} > 0 LIMIT ${limit}
     ) found WHERE ${['true', ...where].join(' AND ')}`;
  const ofOwner = [
    "a.address = one.id AND a.status = 'active'",
    ...(hasNodes ? ['a.node_id = ANY((SELECT :nodeIds)::bytea[])'] : []),
    ...after('a', 1),
    // No join, which might sort all of an owner's first.
    `(SELECT ${OWN_PART} > 0 FROM ${delegators} d WHERE d.network = '${network}' AND d.tx_id = a.tx_id)`,
  ];
  const delegations = hasAddresses
    ? `SELECT found.start_time, found.tx_id, 1 FROM ${setOf('addresses', 'bytea')} AS one (id) CROSS JOIN LATERAL (
         SELECT a.start_time, a.tx_id FROM ${partitionOf('delegator_reward_addresses', network)} a
          WHERE ${ofOwner.join(' AND ')} ${inOrder('a')} LIMIT ${limit}
       ) found`
    : delegationsTo(1, OWN_PART, []);
  return `
    SELECT DISTINCT start_time, tx_id, kind FROM (
      SELECT v.start_time, v.tx_id, 0 AS kind FROM validator v WHERE ${own.join(' AND ')}
      UNION ALL ${delegations}
      UNION ALL ${delegationsTo(2, 'd.validator_part', owns('delegation'))}
    ) found
     ORDER BY start_time ${sortOrder}, tx_id ${sortOrder}, kind ${sortOrder} LIMIT ${limit}`;
}
