import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import type { IndexPlace } from '../../indexes/engine/following/index-place.js';

export interface BlockTime extends IndexPlace {
  readonly height: bigint;
  /** UNIX seconds. */
  readonly blockTime: number;
}

/** The newest block of each index. */
@Injectable()
export class BlockTimesRepository {
  constructor(private readonly database: Database) {}

  async list(): Promise<BlockTime[]> {
    const rows = await this.database.query<IndexPlace & { height: string; block_time: string }>({
      text: 'SELECT network, chain, height, block_time FROM index_checkpoints',
      values: [],
    });
    return rows.map(({ network, chain, height, block_time }) => ({
      network,
      chain,
      height: BigInt(height),
      blockTime: Number(block_time),
    }));
  }
}
