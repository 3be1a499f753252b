import { Injectable } from '@nestjs/common';
import type { NetworkName } from '../config/config.module.js';
import {
  evmChainKey,
  evmChainName,
  PRIMARY_CHAIN_NAMES,
  type PrimaryChain,
  X_CHAIN,
} from '../database/chains.js';
import { Database } from '../database/database.js';
import { IndexedNetworks } from '../database/indexed-networks.js';
import { EvmChains } from '../evm-chains/evm-chains.js';
import { ATOMIC } from '../evm-index/facets.js';
import { ApiError } from '../http/api-error.js';
import { SharedReadings } from '../networks/caches.js';
import { firstBlockTime } from '../x-chain-index/history-times.js';

const EVER = 0n;

/** Older blocks are filled in while the API runs. */
const REREAD_AFTER_MS = 1_000;

/**
 * From when on the indexes of the chains know what was spent there. Who exported something says so on the chain that it left; that it was
 * imported is said by the other chain alone, whose index may begin later.
 */
@Injectable()
export class KnownSpends {
  private readonly known = new SharedReadings<bigint | undefined>(REREAD_AFTER_MS);

  constructor(
    private readonly database: Database,
    private readonly indexedNetworks: IndexedNetworks,
    private readonly evmChains: EvmChains,
  ) {}

  /** UNIX seconds. Whatever was created since then and is not recorded as spent is unspent. Throws a 503. */
  async since(network: NetworkName, chain: PrimaryChain): Promise<bigint> {
    const since = await this.known.get(`${network}:${chain}`, () => this.read(network, chain));
    if (since !== undefined) return since;
    const name = PRIMARY_CHAIN_NAMES[chain];
    throw new ApiError(
      503,
      `which UTXOs of the ${name} of ${network} are spent is not known: it is not indexed`,
    );
  }

  private read(network: NetworkName, chain: PrimaryChain): Promise<bigint | undefined> {
    switch (chain) {
      case 'P':
        return Promise.resolve(EVER); // its index begins with the genesis
      case 'X':
        return this.readX(network);
      case 'C':
        return this.readC(network);
    }
  }

  /** What there was before its blocks may be missing. */
  private async readX(network: NetworkName): Promise<bigint | undefined> {
    const [checkpoint] = await this.database.query<{ is_complete: boolean }>({
      text: `SELECT COALESCE(state -> 'history' ->> 'state' = 'complete', false) AS is_complete
               FROM index_checkpoints WHERE network = $1 AND chain = $2`,
      values: [network, X_CHAIN],
      onePlan: true,
    });
    if (checkpoint === undefined) return undefined;
    if (checkpoint.is_complete) return EVER;
    const { networkId } = await this.indexedNetworks.get(network);
    return BigInt(firstBlockTime(networkId) ?? EVER);
  }

  /** From the oldest block on behind which there is no gap. */
  private async readC(network: NetworkName): Promise<bigint | undefined> {
    const chain = this.evmChains.cChainOf(network);
    if (chain === undefined) return undefined;
    const [oldest] = await this.database.query<{ block_time: string }>({
      text: `SELECT CASE k.from_height WHEN 0 THEN 0 ELSE b.block_time END AS block_time FROM index_checkpoints c
               JOIN index_coverage k ON k.network = c.network AND k.chain = c.chain AND k.facet = $3 AND k.status = 'complete'
                AND k.version >= $4 AND k.to_height >= c.height
               LEFT JOIN evm_blocks b ON b.chain_key = $5 AND b.height = k.from_height
              WHERE c.network = $1 AND c.chain = $2 AND (k.from_height = 0 OR b.height IS NOT NULL)`,
      values: [network, evmChainName(chain.chainId), ATOMIC.name, ATOMIC.version, evmChainKey(chain)],
      onePlan: true,
    });
    return oldest && BigInt(oldest.block_time);
  }
}
