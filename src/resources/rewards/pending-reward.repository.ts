import { Injectable } from '@nestjs/common';
import type { NetworkName } from '../../platform/config/config.module.js';
import { partitionOf } from '../../platform/database/chains.js';
import { Database, type Statement } from '../../platform/database/database.js';
import { toBytes } from '../../platform/database/shaped-query.js';
import type { RewardRequest, PendingRewardRow } from './reward-request.js';

/**
 * Of the stakers that run, of which there are few: all that the filters leave are sorted. The fee of a delegation is the part that its
 * validator takes.
 */
@Injectable()
export class PendingRewardRepository {
  constructor(private readonly database: Database) {}

  list(request: RewardRequest): Promise<PendingRewardRow[]> {
    return this.database.query<PendingRewardRow>(this.statement(request));
  }

  statement({ network, filters, sortOrder, limit, after }: RewardRequest): Statement {
    const { addresses, nodeIds } = filters;
    const comparison = sortOrder === 'asc' ? '>' : '<';
    const [start, txId, kind] = after ?? [];
    return {
      text: `WITH validator AS (${validators(network)}), reward AS (${rewards(network)})
        SELECT r.start_time AS "start", r.end_time AS "end", r.tx_id AS "txId", r.node_id AS "nodeId", r.kind, r.weight,
               r.asset_id AS "assetId", r.addresses, r.reward, r.restaked_shares AS "restakedShares", r.renews_itself AS "renewsItself"
          FROM reward r
         WHERE r.reward > 0 AND ($1::bytea[] IS NULL OR r.addresses && $1::bytea[])
           AND ($3::bigint IS NULL OR (r.start_time, r.tx_id, r.kind) ${comparison} ($3::bigint, $4::bytea, $5::int))
         ORDER BY r.start_time ${sortOrder}, r.tx_id ${sortOrder}, r.kind ${sortOrder} LIMIT $6`,
      values: [
        addresses?.map(toBytes) ?? null,
        nodeIds?.map(toBytes) ?? null,
        start ?? null,
        txId == null ? null : toBytes(txId),
        kind ?? null,
        limit,
      ],
    };
  }
}

function validators(network: NetworkName): string {
  return `SELECT v.* FROM ${partitionOf('validators', network)} v
           WHERE v.status = 'active' AND NOT v.is_permissioned AND ($2::bytea[] IS NULL OR v.node_id = ANY($2::bytea[]))`;
}

const RENEWS = 'v.auto_renewal_next_period IS NOT NULL';
/** The last cycle pays everything. */
const RESTAKED = 'CASE WHEN v.auto_renewal_next_period > 0 THEN v.auto_renewal_auto_compound_shares END';

/** Delegations by their validators where it is about the fee, and by their own addresses or nodes where it is not. */
function rewards(network: NetworkName): string {
  const delegators = partitionOf('delegators', network);
  const staker = (alias: string): string =>
    ['start_time', 'end_time', 'tx_id', 'node_id', 'weight'].map((column) => `${alias}.${column}`).join(', ');
  return `SELECT ${staker('v')}, 0 AS kind, v.stake_asset_id AS asset_id, v.validation_rewards_owner_addresses AS addresses,
                 v.potential_reward AS reward, ${RESTAKED} AS restaked_shares, ${RENEWS} AS renews_itself
            FROM validator v
          UNION ALL
          SELECT ${staker('d')}, 1, d.stake_asset_id, d.rewards_owner_addresses, d.potential_reward - d.validator_part, NULL, false
            FROM ${delegators} d
           WHERE d.status = 'active' AND ($2::bytea[] IS NULL OR d.node_id = ANY($2::bytea[]))
             AND ($1::bytea[] IS NULL OR d.tx_id IN (
               SELECT a.tx_id FROM ${partitionOf('delegator_reward_addresses', network)} a
                WHERE a.address = ANY($1::bytea[]) AND a.status = 'active'))
          UNION ALL
          SELECT ${staker('d')}, 2, d.stake_asset_id, v.delegation_rewards_owner_addresses, d.validator_part,
                 ${RESTAKED}, false
            FROM validator v JOIN ${delegators} d ON d.validator_tx_id = v.tx_id AND d.status = 'active'
           WHERE $1::bytea[] IS NULL OR v.delegation_rewards_owner_addresses && $1::bytea[]`;
}
