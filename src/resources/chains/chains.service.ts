import { Injectable } from '@nestjs/common';
import { evmChainName } from '../../platform/database/chains.js';
import type { EvmChain } from '../../platform/evm-chains/evm-chain.js';
import { EvmChains } from '../../platform/evm-chains/evm-chains.js';
import { SharedReading } from '../../platform/networks/caches.js';
import type { ReportedIndex } from '../../indexes/overview/index-overview.js';
import { IndexOverviews } from '../../indexes/overview/index-overviews.js';
import { MeasuredChains } from '../../indexes/overview/measured-chains.js';
import { IndexedBlocksRepository } from '../../exports/turns/indexed-blocks.repository.js';
import {
  type ChainResponse,
  type FacetResponse,
  type ListChainsResponse,
  NOT_STARTED,
  toChainResponse,
} from './dto/chain.response.js';
import type { ListChainsQuery } from './dto/list-chains.request.js';

/** Several statements for each chain, which a caller may ask for as often as his units allow. */
const REREAD_AFTER_MS = 1_000;

/** The configured chains with what Postgres holds of them, read at most once a second for all who ask. */
@Injectable()
export class ChainsService {
  private readonly readings = new SharedReading(REREAD_AFTER_MS, () => this.read());

  constructor(
    private readonly chains: EvmChains,
    private readonly measured: MeasuredChains,
    private readonly blocks: IndexedBlocksRepository,
    private readonly overviews: IndexOverviews,
  ) {}

  async list({ network }: ListChainsQuery): Promise<ListChainsResponse> {
    const chains = await this.readings.get();
    return { chains: chains.filter((chain) => network === undefined || chain.network === network) };
  }

  private async read(): Promise<ChainResponse[]> {
    const indexes = await this.overviews.list();
    return Promise.all(this.chains.all().map((chain) => this.describe(chain, indexes)));
  }

  private async describe(chain: EvmChain, indexes: readonly ReportedIndex[]): Promise<ChainResponse> {
    const measured = await this.measured.measure(chain);
    const ends = measured.facets.flatMap(({ ranges }) => ranges.flatMap(({ from, to }) => [from, to]));
    const times = await this.blocks.timesOf(chain, ends);
    const stateOf = (facet?: string): FacetResponse['state'] =>
      indexes.find(
        (each) => each.network === chain.network && each.chain === evmChainName(chain.chainId, facet),
      )?.report.state ?? NOT_STARTED;
    return toChainResponse({ ...measured, times, stateOf });
  }
}
