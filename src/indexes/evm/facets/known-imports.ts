import { evmChainKey, evmChainName, type EvmChainRef } from '../../../platform/database/chains.js';
import type { Reader } from '../../../platform/database/database.js';
import { ATOMIC } from './facets.js';

/** From which block of a C-chain on every import is on record. */
export interface KnownImports {
  readonly fromHeight: bigint;
  /** UNIX seconds; 0 where nothing is missing. What was created since then and is not recorded as spent is unspent. */
  readonly since: bigint;
}

/** From the oldest block on behind which there is no gap; undefined where there is none. */
export async function findKnownImports(
  database: Reader,
  chain: EvmChainRef,
): Promise<KnownImports | undefined> {
  const [oldest] = await database.query<{ from_height: string; block_time: string }>({
    // Of blocks that were read for their imports alone, the first that has some gives the time.
    text: `SELECT k.from_height, CASE k.from_height WHEN 0 THEN 0 ELSE COALESCE(b.block_time, (
               SELECT block_time FROM evm_atomic_transactions WHERE chain_key = $5 AND height >= k.from_height ORDER BY height LIMIT 1
             ), c.block_time) END AS block_time
             FROM index_checkpoints c
             JOIN index_coverage k ON k.network = c.network AND k.chain = c.chain AND k.facet = $3 AND k.status = 'complete'
              AND k.version >= $4 AND k.to_height >= c.height
             LEFT JOIN evm_blocks b ON b.chain_key = $5 AND b.height = k.from_height
            WHERE c.network = $1 AND c.chain = $2`,
    values: [chain.network, evmChainName(chain.chainId), ATOMIC.name, ATOMIC.version, evmChainKey(chain)],
    onePlan: true,
  });
  return oldest && { fromHeight: BigInt(oldest.from_height), since: BigInt(oldest.block_time) };
}
