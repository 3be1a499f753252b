import { Injectable } from '@nestjs/common';
import { evmChainKey, evmChainName } from '../../../platform/database/chains.js';
import { Database } from '../../../platform/database/database.js';
import type { EvmChain } from '../../../platform/evm-chains/evm-chain.js';

/** Reads where the indexes of EVM chains begin. */
@Injectable()
export class IndexedDaysRepository {
  constructor(private readonly database: Database) {}

  /**
   * Time of the earliest indexed block of any of the chains, UNIX seconds; undefined when nothing is indexed yet. A genesis of the
   * time 0 does not count: that of C-chains says nothing.
   */
  async firstTime(chains: readonly EvmChain[]): Promise<number | undefined> {
    const [row] = await this.database.query<{ firstTime: string | null }>({
      text: `SELECT min(block.block_time) FILTER (WHERE block.block_time > 0) AS "firstTime"
         FROM unnest($1::text[], $2::text[], $3::bigint[]) AS asked (network, chain, chain_key)
        CROSS JOIN LATERAL (
          SELECT from_height FROM index_coverage covered
           WHERE covered.network = asked.network AND covered.chain = asked.chain AND facet = 'base' AND status = 'complete'
           ORDER BY from_height LIMIT 1
        ) AS lowest
         JOIN evm_blocks block ON block.chain_key = asked.chain_key
          AND block.height BETWEEN lowest.from_height AND greatest(lowest.from_height, 1)`,
      values: [
        chains.map(({ network }) => network),
        chains.map(({ chainId }) => evmChainName(chainId)),
        chains.map((chain) => evmChainKey(chain).toString()),
      ],
    });
    const time = row?.firstTime ?? null;
    return time === null ? undefined : Number(time);
  }
}
