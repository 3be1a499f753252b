import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import type { IndexPlace } from '../engine/following/index-place.js';
import type { KnownIndex } from './index-overview.js';

interface Row {
  network: string;
  chain: string;
  height: string;
  block_time: string;
  tip: string;
  heard_at: string;
}

export interface PlacedIndex extends KnownIndex, IndexPlace {}

/** Of indexes that have a block, and have said how far they have to go. */
const KNOWN_INDEXES = `SELECT network, chain, c.height, c.block_time, p.tip_height AS tip,
    floor(extract(epoch FROM p.updated_at)) AS heard_at
  FROM index_checkpoints c JOIN index_progress p USING (network, chain)
 WHERE p.tip_height IS NOT NULL`;

@Injectable()
export class IndexFreshnessRepository {
  constructor(private readonly database: Database) {}

  /** Undefined for an index that has not said how far it has to go. */
  async find({ network, chain }: IndexPlace): Promise<KnownIndex | 'not begun' | undefined> {
    const [row] = await this.database.query<Row | Record<keyof Row, null>>({
      text: `SELECT known.* FROM index_checkpoints begun LEFT JOIN (${KNOWN_INDEXES}) known USING (network, chain)
              WHERE begun.network = $1 AND begun.chain = $2`,
      values: [network, chain],
      onePlan: true,
    });
    if (row === undefined) return 'not begun';
    return row.height === null ? undefined : toIndex(row);
  }

  async list(): Promise<PlacedIndex[]> {
    return (await this.database.query<Row>({ text: KNOWN_INDEXES, values: [] })).map(toIndex);
  }
}

function toIndex({ network, chain, height, block_time, tip, heard_at }: Row): PlacedIndex {
  return {
    network,
    chain,
    height: BigInt(height),
    blockTime: Number(block_time),
    tip: BigInt(tip),
    heardAt: Number(heard_at),
  };
}
