import { Injectable } from '@nestjs/common';
import type { NetworkName } from '../../platform/config/config.module.js';
import { PRIMARY_CHAIN_NAMES, type PrimaryChain, X_CHAIN } from '../../platform/database/chains.js';
import { ListDatabase } from '../../platform/database/list-database.js';
import { EvmChains } from '../../platform/evm-chains/evm-chains.js';
import { findKnownImports } from '../../indexes/evm/facets/known-imports.js';
import { ApiError } from '../../platform/http/errors/api-error.js';
import { SharedReadings } from '../../platform/networks/caches.js';

/** Which UTXOs that are not recorded as spent are unspent. */
export interface SpendKnowledge {
  /** UNIX seconds: those that were created since then. */
  readonly since: bigint;
  /** Of older ones, those that a node reports that had executed this block of the C-chain, or a later one. */
  readonly checkedFromHeight?: bigint;
}

const EVER: SpendKnowledge = { since: 0n };

/** Older blocks are filled in while the API runs. */
const REREAD_AFTER_MS = 1_000;

/**
 * From when on the indexes of the chains know what was spent there. An export is recorded on the chain that it left; its import on the
 * other chain alone, whose index may begin later.
 */
@Injectable()
export class KnownSpends {
  private readonly known = new SharedReadings<SpendKnowledge | undefined>(REREAD_AFTER_MS);

  constructor(
    private readonly database: ListDatabase,
    private readonly evmChains: EvmChains,
  ) {}

  /** Throws a 503. */
  async of(network: NetworkName, chain: PrimaryChain): Promise<SpendKnowledge> {
    const known = await this.known.get(`${network}:${chain}`, () => this.read(network, chain));
    if (known !== undefined) return known;
    const name = PRIMARY_CHAIN_NAMES[chain];
    throw new ApiError(
      503,
      `which UTXOs of the ${name} of ${network} are spent is not known: it is not indexed`,
    );
  }

  private read(network: NetworkName, chain: PrimaryChain): Promise<SpendKnowledge | undefined> {
    switch (chain) {
      case 'P':
        return Promise.resolve(EVER); // its index begins with the genesis
      case 'X':
        return this.readX(network);
      case 'C':
        return this.readC(network);
    }
  }

  /** Its index begins with the genesis, too, and has to have begun. */
  private async readX(network: NetworkName): Promise<SpendKnowledge | undefined> {
    const begun = await this.database.extent.query({
      text: 'SELECT FROM index_checkpoints WHERE network = $1 AND chain = $2',
      values: [network, X_CHAIN],
      onePlan: true,
    });
    return begun.length > 0 ? EVER : undefined;
  }

  private async readC(network: NetworkName): Promise<SpendKnowledge | undefined> {
    const chain = this.evmChains.cChainOf(network);
    if (chain === undefined) return undefined;
    const known = await findKnownImports(this.database.extent, chain);
    if (known === undefined || known.since === 0n) return known && EVER;
    return { since: known.since, checkedFromHeight: known.fromHeight };
  }
}
