import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import type { IndexPlace } from '../indexing/index-place.js';
import type { KnownIndex } from './lag.js';

interface Row {
  height: string;
  block_time: string;
  tip: string;
  heard_at: string;
}

@Injectable()
export class IndexFreshnessRepository {
  constructor(private readonly database: Database) {}

  /** Undefined while the index has no block, or has not said how far it has to go. */
  async find({ network, chain }: IndexPlace): Promise<KnownIndex | undefined> {
    const [row] = await this.database.query<Row>({
      text: `SELECT c.height, c.block_time, p.tip_height AS tip, floor(extract(epoch FROM p.updated_at)) AS heard_at
         FROM index_checkpoints c JOIN index_progress p USING (network, chain)
        WHERE network = $1 AND chain = $2 AND p.tip_height IS NOT NULL`,
      values: [network, chain],
      onePlan: true,
    });
    if (row === undefined) return undefined;
    return {
      height: BigInt(row.height),
      blockTime: Number(row.block_time),
      tip: BigInt(row.tip),
      heardAt: Number(row.heard_at),
    };
  }
}
