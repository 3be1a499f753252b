import { Injectable } from '@nestjs/common';
import { evmChainName } from '../../platform/database/chains.js';
import type { EvmChain } from '../../platform/evm-chains/evm-chain.js';
import { EvmChains } from '../../platform/evm-chains/evm-chains.js';
import { EvmIndexRepository } from '../../indexes/evm/rows/evm-index.repository.js';
import { facetsOf } from '../../indexes/evm/facets/facets.js';
import {
  IndexProgressRepository,
  type ProgressRecord,
} from '../../indexes/engine/progress/index-progress.repository.js';
import { IndexedBlocksRepository } from '../../exports/turns/indexed-blocks.repository.js';
import {
  type ChainResponse,
  type FacetResponse,
  type ListChainsResponse,
  NOT_STARTED,
  toChainResponse,
} from './dto/chain.response.js';
import type { ListChainsQuery } from './dto/list-chains.request.js';
import { measureFacet } from '../../indexes/evm/facets/measured-facet.js';

/** The configured chains with what Postgres holds of them. */
@Injectable()
export class ChainsService {
  constructor(
    private readonly chains: EvmChains,
    private readonly index: EvmIndexRepository,
    private readonly blocks: IndexedBlocksRepository,
    private readonly progress: IndexProgressRepository,
  ) {}

  async list({ network }: ListChainsQuery): Promise<ListChainsResponse> {
    const progress = await this.progress.list();
    const asked = this.chains.all().filter((chain) => network === undefined || chain.network === network);
    return { chains: await Promise.all(asked.map((chain) => this.describe(chain, progress))) };
  }

  private async describe(chain: EvmChain, progress: readonly ProgressRecord[]): Promise<ChainResponse> {
    const [checkpoint, coverage] = await Promise.all([
      this.index.findCheckpoint(chain),
      this.index.findCoverage(chain),
    ]);
    const facets = facetsOf(chain).map((facet) => measureFacet(facet, { chain, checkpoint, coverage }));
    const ends = facets.flatMap(({ ranges }) => ranges.flatMap(({ from, to }) => [from, to]));
    const times = await this.blocks.timesOf(chain, ends);
    const stateOf = (facet?: string): FacetResponse['state'] =>
      progress.find(
        (each) => each.network === chain.network && each.chain === evmChainName(chain.chainId, facet),
      )?.state ?? NOT_STARTED;
    return toChainResponse({ chain, checkpoint, facets, times, stateOf });
  }
}
