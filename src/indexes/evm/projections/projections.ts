import { Inject, Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.module.js';
import { parseEvmChainName } from '../../../platform/database/chains.js';
import { Database } from '../../../platform/database/database.js';
import { EvmChains } from '../../../platform/evm-chains/evm-chains.js';
import type { IndexPlace } from '../../engine/following/index-place.js';
import { type IndexKind, type OpenIndex, POLL_INTERVAL_MS } from '../../engine/following/indexer.js';
import { EvmWriter } from '../rows/evm-writer.js';
import type { Projection } from './projection.js';
import { Projector } from './projector.js';

/** Injection token of all that is made of watched logs. */
export const PROJECTIONS = Symbol('projections');

/** Stands in place of a facet in the name of the index that builds them. */
export const PROJECTIONS_NAME = 'projections';

/** Derives rows from the watched logs of EVM chains, one index for each chain. */
@Injectable()
export class Projections implements IndexKind {
  private readonly projectors = new Map<string, Projector>();

  constructor(
    private readonly config: Config,
    private readonly chains: EvmChains,
    private readonly database: Database,
    private readonly writer: EvmWriter,
    @Inject(PROJECTIONS) private readonly projections: readonly Projection[],
  ) {}

  find({ network, chain: name }: IndexPlace): OpenIndex | undefined {
    const parsed = parseEvmChainName(name);
    if (parsed?.facet !== PROJECTIONS_NAME) return undefined;
    const chain = this.chains.of({ network, chainId: parsed.chainId });
    const key = `${network} ${chain.chainId}`;
    let projector = this.projectors.get(key);
    if (projector === undefined) {
      const { changes } = this.writer;
      projector = new Projector(chain, this.database, this.projections, changes, POLL_INTERVAL_MS);
      this.projectors.set(key, projector);
    }
    const indexer = projector;
    return {
      indexer,
      title: `what is made of the logs of ${chain.name} (EVM chain ${chain.chainId}) of ${network}`,
      reset: () => indexer.reset(),
    };
  }
}
