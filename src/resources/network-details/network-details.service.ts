import { Injectable } from '@nestjs/common';
import { PRIMARY_NETWORK } from '../../avalanche/platformvm/ids.js';
import type { NetworkName } from '../../platform/config/config.module.js';
import { partitionOf } from '../../platform/database/chains.js';
import type { Statement } from '../../platform/database/database.js';
import { ListDatabase } from '../../platform/database/list-database.js';
import { toBytes } from '../../platform/database/shaped-query.js';
import type { NetworkDetailsResponse } from './network-details.response.js';

/** Decimals of numerics, and counts as numbers. */
interface Row {
  readonly version: string;
  readonly validators: number;
  readonly delegators: number;
  readonly own: string;
  readonly delegated: string;
  readonly rewards: string;
  readonly ratio: string | null;
}

@Injectable()
export class NetworkDetailsService {
  constructor(private readonly database: ListDatabase) {}

  async get(network: NetworkName): Promise<NetworkDetailsResponse> {
    const rows = await this.database.query<Row>(totals(network));
    const sumOf = (name: 'own' | 'delegated' | 'rewards'): string =>
      rows.reduce((sum, row) => sum + BigInt(row[name]), 0n).toString();
    const countOf = (name: 'validators' | 'delegators'): number =>
      rows.reduce((sum, row) => sum + row[name], 0);
    return {
      validatorDetails: {
        validatorCount: countOf('validators'),
        totalAmountStaked: sumOf('own'),
        estimatedAnnualStakingReward: sumOf('rewards'),
        stakingDistributionByVersion: rows.map(({ version, own, delegated, validators }) => ({
          version,
          amountStaked: String(BigInt(own) + BigInt(delegated)),
          validatorCount: validators,
        })),
        stakingRatio: rows[0]?.ratio ?? '0',
      },
      delegatorDetails: { delegatorCount: countOf('delegators'), totalAmountStaked: sumOf('delegated') },
    };
  }
}

/** By version. Waiting delegations, which there were before Durango, are not of the total weight. */
function totals(network: NetworkName): Statement {
  return {
    text: `SELECT CASE WHEN observed.reachability_percent > 0 THEN coalesce(observed.version, 'unknown') ELSE 'offline' END AS version,
                  count(*)::int AS validators, sum(v.delegator_count)::int AS delegators, sum(v.weight) AS own,
                  sum(v.delegated_weight) AS delegated, sum(v.potential_reward) AS rewards,
                  (SELECT round(s.total_weight / s.supply, 20) FROM ${partitionOf('subnet_stakes', network)} s
                    WHERE s.subnet_id = $2) AS ratio
             FROM ${partitionOf('validators', network)} v
             LEFT JOIN observed_nodes observed ON observed.network = $1 AND observed.node_id = v.node_id
            WHERE v.status = 'active' AND v.subnet_id = $2
            GROUP BY 1 ORDER BY sum(v.weight + v.delegated_weight) DESC, 1`,
    values: [network, toBytes(PRIMARY_NETWORK)],
    onePlan: true,
  };
}
