import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { arrayLiteral } from '../../../platform/database/array-literal.js';
import { columnsOf } from '../../../platform/database/entity-columns.js';
import { ObservedNode } from '../entities/node.entities.js';
import { ValidatorEntity } from '../entities/validator.entity.js';
import type { Place } from './geolocator.js';
import type { SeenNode } from './look.js';
import { columnLiterals, unnest } from '../../../platform/database/table.js';

/** Node ids are hex here. */
export type SeenRow = Omit<SeenNode, 'version' | 'addresses'>;

export interface DescribedRow {
  readonly nodeId: string;
  readonly version: string | null;
  readonly place: Place | null;
}

export interface UptimeRow {
  readonly nodeId: string;
  readonly uptime: number;
}

const DESCRIBED = columnsOf(
  ObservedNode,
  ...(['nodeId', 'version', 'city', 'countryCode', 'latitude', 'longitude'] as const),
).columns;
const UPTIME = columnsOf(ValidatorEntity, 'nodeId', 'uptimePerformance').columns;

const NOWHERE = { city: null, countryCode: null, latitude: null, longitude: null };

const ACTIVE_NODES = `SELECT DISTINCT node_id FROM validators WHERE network = $1 AND status = 'active'`;

/** Looks at validators, counted by the hour, and what follows of them. Nodes that do not validate are left out, however many. */
@Injectable()
export class ObservationRepository {
  constructor(private readonly database: Database) {}

  async countLook(
    { network, observer, hour }: { network: string; observer: string; hour: number },
    seen: readonly SeenRow[],
  ): Promise<void> {
    await this.database.execute({
      text: `INSERT INTO node_observations AS known
         (network, node_id, observer, hour, looks, connected, benched_p, benched_x, benched_c)
       SELECT $1, validator.node_id, $2, $3, 1, (input.node_id IS NOT NULL)::int,
           coalesce(benched_p, false)::int, coalesce(benched_x, false)::int, coalesce(benched_c, false)::int
         FROM (${ACTIVE_NODES}) validator LEFT JOIN unnest($4::bytea[], $5::boolean[], $6::boolean[], $7::boolean[])
           AS input (node_id, benched_p, benched_x, benched_c) ON input.node_id = validator.node_id
        ORDER BY validator.node_id
       ON CONFLICT (network, node_id, observer, hour) DO UPDATE SET looks = known.looks + 1,
         connected = known.connected + EXCLUDED.connected, benched_p = known.benched_p + EXCLUDED.benched_p,
         benched_x = known.benched_x + EXCLUDED.benched_x, benched_c = known.benched_c + EXCLUDED.benched_c`,
      values: [
        ...[network, observer, hour],
        arrayLiteral(
          'bytea',
          seen.map(({ nodeId }) => nodeId),
        ),
        ...[
          seen.map(({ isBenchedOnP }) => isBenchedOnP),
          seen.map(({ isBenchedOnX }) => isBenchedOnX),
          seen.map(({ isBenchedOnC }) => isBenchedOnC),
        ],
      ],
    });
  }

  /**
   * Of each observer the share of its looks since that hour, and of those the one in the middle. What is older is forgotten, and so
   * are nodes that nobody looked for since.
   */
  async sumUp(network: string, sinceHour: number): Promise<void> {
    await this.database.execute({
      text: 'DELETE FROM node_observations WHERE network = $1 AND hour < $2',
      values: [network, sinceHour],
    });
    await this.database.execute({
      text: `DELETE FROM observed_nodes node WHERE network = $1 AND NOT EXISTS (
         SELECT FROM node_observations seen WHERE seen.network = node.network AND seen.node_id = node.node_id)`,
      values: [network],
    });
    const shares = ['connected', 'benched_p', 'benched_x', 'benched_c'];
    const columns = ['reachability_percent', 'benched_p_percent', 'benched_x_percent', 'benched_c_percent'];
    const share = (count: string) => `round(100.0 * sum(${count}) / sum(looks), 4)::float8 AS ${count}`;
    const middle = (name: string) => `percentile_cont(0.5) WITHIN GROUP (ORDER BY ${name})`;
    const names = (prefix: string) => columns.map((column) => `${prefix}.${column}`).join(', ');
    await this.database.execute({
      text: `INSERT INTO observed_nodes AS known (network, node_id, ${columns.join(', ')})
       SELECT $1, node_id, ${shares.map(middle).join(', ')} FROM (
         SELECT node_id, ${shares.map(share).join(', ')} FROM node_observations
          WHERE network = $1 GROUP BY node_id, observer) shares
        GROUP BY node_id ORDER BY node_id
       ON CONFLICT (network, node_id) DO UPDATE SET ${columns.map((column) => `${column} = EXCLUDED.${column}`).join(', ')}
        WHERE (${names('known')}) IS DISTINCT FROM (${names('EXCLUDED')})`,
      values: [network],
    });
  }

  /** Of nodes that were seen now; of those that are away, what was known stays. */
  async describe(network: string, nodes: readonly DescribedRow[]): Promise<void> {
    const columns = DESCRIBED.map(({ name }) => name).filter((name) => name !== 'node_id');
    const rows = nodes.map(({ nodeId, version, place }) => ({ nodeId, version, ...(place ?? NOWHERE) }));
    const names = (prefix: string) => columns.map((column) => `${prefix}.${column}`).join(', ');
    await this.database.execute({
      text: `UPDATE observed_nodes known SET ${columns.map((column) => `${column} = input.${column}`).join(', ')}
         FROM ${unnest(DESCRIBED, 2)}
        WHERE network = $1 AND known.node_id = input.node_id AND (${names('known')}) IS DISTINCT FROM (${names('input')})`,
      values: [network, ...columnLiterals(DESCRIBED, rows)],
    });
  }

  /**
   * Of all active validations of the node: that of a subnet is the same node over the same connections. Rows that the index is
   * writing at this moment are left for the next time: neither waits for the other, so they cannot block each other.
   */
  async saveUptimes(network: string, uptimes: readonly UptimeRow[]): Promise<void> {
    const rows = uptimes.map(({ nodeId, uptime }) => ({ nodeId, uptimePerformance: uptime }));
    await this.database.execute({
      text: `UPDATE validators SET uptime_performance = input.uptime_performance FROM ${unnest(UPTIME, 2)}
       WHERE network = $1 AND validators.node_id = input.node_id AND status = 'active'
         AND validators.uptime_performance IS DISTINCT FROM input.uptime_performance
         AND validators.tx_id IN (
           SELECT tx_id FROM validators
           WHERE network = $1 AND status = 'active' AND node_id = ANY($2::bytea[]) FOR UPDATE SKIP LOCKED
         )`,
      values: [network, ...columnLiterals(UPTIME, rows)],
    });
  }
}
