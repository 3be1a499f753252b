import { Injectable } from '@nestjs/common';
import type { KnownStake } from '../../avalanche/chain-sync/acceptance.js';
import { nodeIdToString } from '../../avalanche/ids/node-id.js';
import { PRIMARY_NETWORK } from '../../avalanche/platformvm/ids.js';
import type { NetworkName } from '../../platform/config/config.module.js';
import { P_CHAIN } from '../../platform/database/chains.js';
import { Database } from '../../platform/database/database.js';
import { STILL } from './entities/validator-set.entity.js';
import { SharedReadings } from '../../platform/networks/caches.js';

/** It changes with a few blocks a minute, and counts for two days. */
const REREAD_AFTER_MS = 10_000;

interface Row {
  readonly time: string;
  readonly nodeId: Buffer | null;
  readonly weight: string | null;
}

/** Validators of a primary network by the rows of its P-chain, delegations included: they decide what all of its chains accept. */
@Injectable()
export class PrimaryStake {
  private readonly readings = new SharedReadings<KnownStake | undefined>(REREAD_AFTER_MS);

  constructor(private readonly database: Database) {}

  /** Undefined before the P-chain's index has begun. */
  of(network: NetworkName): Promise<KnownStake | undefined> {
    return this.readings.get(network, () => this.read(network));
  }

  private async read(network: NetworkName): Promise<KnownStake | undefined> {
    const rows = await this.database.query<Row>({
      text: `SELECT c.block_time AS "time", m.node_id AS "nodeId", m.weight
               FROM index_checkpoints c LEFT JOIN validator_set_members m
                 ON m.network = c.network AND m.subnet_id = $3 AND m.until_height = ${STILL}
              WHERE c.network = $1 AND c.chain = $2 ORDER BY m.node_id`,
      values: [network, P_CHAIN, Buffer.from(PRIMARY_NETWORK, 'hex')],
    });
    const [first] = rows;
    if (first === undefined) return undefined;
    const electors = rows.flatMap(({ nodeId, weight }) =>
      nodeId === null || weight === null ? [] : [{ nodeId: nodeIdToString(nodeId), weight: BigInt(weight) }],
    );
    return { time: Number(first.time), electors };
  }
}
