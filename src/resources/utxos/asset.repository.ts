import { Injectable } from '@nestjs/common';
import type { NetworkName } from '../../platform/config/config.module.js';
import { Database } from '../../platform/database/database.js';
import { arrayLiteral } from '../../platform/database/array-literal.js';

export interface Asset {
  readonly name: string;
  readonly symbol: string;
  readonly denomination: number;
}

interface AssetRow extends Asset {
  readonly id: string;
}

/** What the X-chain says of assets. */
@Injectable()
export class AssetRepository {
  constructor(private readonly database: Database) {}

  /** By id in hex, as far as they are on record. */
  async find(network: NetworkName, ids: readonly string[]): Promise<ReadonlyMap<string, Asset>> {
    if (ids.length === 0) return new Map();
    const rows = await this.database.query<AssetRow>({
      text: `SELECT encode(asset_id, 'hex') AS id, name, symbol, denomination FROM assets
        WHERE network = $1 AND asset_id = ANY($2::bytea[])`,
      values: [network, arrayLiteral('bytea', ids)],
      onePlan: true,
    });
    return new Map(rows.map((row) => [row.id, row]));
  }
}
