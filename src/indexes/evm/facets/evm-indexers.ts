import { Injectable, Logger } from '@nestjs/common';
import type { EvmHeader } from '../../../avalanche/evm/blocks/block.js';
import { Config } from '../../../platform/config/config.module.js';
import { parseEvmChainName } from '../../../platform/database/chains.js';
import { Database } from '../../../platform/database/database.js';
import type { EvmChain } from '../../../platform/evm-chains/evm-chain.js';
import { EvmChains } from '../../../platform/evm-chains/evm-chains.js';
import { nameOfNode } from '../../engine/following/node-pool.js';
import { ChainFollower } from '../../engine/following/chain-follower.js';
import { type HeightRange, MAX_HEIGHT } from '../../engine/coverage/height-range.js';
import type { IndexPlace } from '../../engine/following/index-place.js';
import {
  type Indexer,
  type IndexKind,
  type OpenIndex,
  type ReindexRequest,
  IDLE_POLLS,
  POLL_INTERVAL_MS,
} from '../../engine/following/indexer.js';
import { AtomicSource } from '../sources/atomic-source.js';
import { BaseSource } from '../sources/base-source.js';
import { BlockReader } from '../sources/block-reader.js';
import { ChainMintRules } from '../sources/chain-mint-rules.js';
import { EarlierExports } from '../sources/earlier-exports.js';
import { EvmBuilds } from '../rows/builds.js';
import { EvmIndexRepository } from '../rows/evm-index.repository.js';
import { EvmNode, EvmNodes } from '../sources/evm-node.js';
import { EvmWriter } from '../rows/evm-writer.js';
import { ChainRecords } from './chain-records.js';
import { FacetBackfill } from './facet-backfill.js';
import type { FacetSource } from './facet-source.js';
import { ATOMIC, BASE, type Facet, facetNamed, facetsOf, TRACES } from './facets.js';
import { type EvmStore, FollowedEvmChain, type TipReader } from './followed-evm-chain.js';
import { GenesisAllocations } from '../sources/genesis-allocations.js';
import { History } from './history.js';
import { LogSource } from '../sources/logs/log-source.js';
import { BlockTipReader, LogTipReader } from '../sources/tip-readers.js';
import { TokenReader } from '../sources/token-reader.js';
import { TraceSource } from '../sources/trace-source.js';

/** For one header, of one node after the other. */
const HEADER_TIMEOUT_MS = 30_000;

/** The indexers of EVM chains of this process. */
@Injectable()
export class EvmIndexers implements IndexKind {
  private readonly logger = new Logger('EvmIndex');
  private readonly indexers = new Map<string, Indexer>();
  private readonly store: EvmStore;
  private readonly rules = new Map<EvmChain, ChainMintRules>();

  constructor(
    private readonly config: Config,
    private readonly chains: EvmChains,
    repository: EvmIndexRepository,
    private readonly writer: EvmWriter,
    private readonly database: Database,
    private readonly genesis: GenesisAllocations,
    private readonly builds: EvmBuilds,
  ) {
    const records = new ChainRecords(repository, writer.changes, IDLE_POLLS * POLL_INTERVAL_MS);
    this.store = { repository, writer, records };
  }

  find({ network, chain: name }: IndexPlace): OpenIndex | undefined {
    const parsed = parseEvmChainName(name);
    if (parsed === undefined) return undefined;
    const chain = this.chains.of({ network, chainId: parsed.chainId });
    const facet = parsed.facet === undefined ? undefined : facetNamed(chain, parsed.facet);
    const what = facet === undefined ? 'index' : `${facet.name} backfill`;
    return {
      indexer: this.indexerOf(chain, name, facet),
      title: `the ${what} of ${chain.name} (EVM chain ${chain.chainId}) of ${network}`,
      reset: (request) => this.reset(chain, { ...(facet && { facet: facet.name }), ...request }),
    };
  }

  /** One more worker for older blocks; undefined where a chain has none that are made beside the tables. */
  builderOf({ network, chain: name }: IndexPlace, builder: number): Indexer | undefined {
    const parsed = parseEvmChainName(name);
    if (parsed?.facet !== BASE.name) return undefined;
    const chain = this.chains.of({ network, chainId: parsed.chainId });
    return this.remember(`${network} ${name} ${builder}`, () => this.makeBackfill(chain, BASE, true));
  }

  private async reset(chain: EvmChain, { facet, from, to }: ReindexRequest): Promise<void> {
    const range: HeightRange = { from: from ?? 0n, to: to ?? MAX_HEIGHT };
    if (range.from > range.to || range.from < 0n || range.to > MAX_HEIGHT) {
      throw new RangeError(`heights ${range.from} to ${range.to} are none`);
    }
    if (facet === undefined && from !== undefined && to === undefined) {
      return this.writer.goBack(chain, from, await this.headerBeneath(chain, from));
    }
    const facets = facet === undefined ? facetsOf(chain) : [facetNamed(chain, facet)];
    for (const each of facets) await this.writer.renew(chain, each, range);
  }

  /** Of a chain whose blocks are not on record: that of a node. Throws RangeError where none has it. */
  private async headerBeneath(chain: EvmChain, height: bigint): Promise<EvmHeader | undefined> {
    if (chain.index !== 'logs' || height === 0n) return undefined;
    const heights = [height - 1n];
    const signal = AbortSignal.timeout(HEADER_TIMEOUT_MS);
    const ask = async ({ client }: EvmNode) => (await client.getBlockHeaders({ heights, signal }))[0];
    const header = await this.nodesOf(chain).askAny(ask, signal);
    if (header === undefined) throw new RangeError(`no node has block ${height - 1n}`);
    return header;
  }

  private indexerOf(chain: EvmChain, name: string, facet: Facet | undefined): Indexer {
    return this.remember(`${chain.network} ${name}`, () =>
      facet === undefined ? this.makeFollower(chain) : this.makeBackfill(chain, facet),
    );
  }

  private remember(key: string, make: () => Indexer): Indexer {
    const indexer = this.indexers.get(key) ?? make();
    this.indexers.set(key, indexer);
    return indexer;
  }

  private makeFollower(chain: EvmChain): Indexer {
    const nodes = this.nodesOf(chain, { warn: this.warner(chain) });
    const followed = new FollowedEvmChain(chain, this.store, nodes, this.tipReader(chain));
    return new ChainFollower(followed, nodes, POLL_INTERVAL_MS, this.warner(chain));
  }

  private tipReader(chain: EvmChain): TipReader {
    if (chain.index === 'logs') return new LogTipReader(chain);
    const tokens = new TokenReader(this.store.repository, chain);
    return new BlockTipReader(chain, this.readerWith(chain, tokens), tokens);
  }

  private makeBackfill(chain: EvmChain, facet: Facet, isHelper = false): Indexer {
    return new FacetBackfill(
      chain,
      this.store,
      this.sourceOf(chain, facet, isHelper),
      POLL_INTERVAL_MS,
      this.warner(chain),
    );
  }

  private sourceOf(chain: EvmChain, facet: Facet, isHelper: boolean): FacetSource {
    const { repository } = this.store;
    if (facet === TRACES) {
      const nodes = this.nodesOf(chain, { maxBatchSize: 1 });
      return new TraceSource(chain, repository, nodes, this.rulesOf(chain));
    }
    if (facet === ATOMIC) return this.atomicSource(chain);
    const tokens = new TokenReader(repository, chain);
    if (facet.logSet !== undefined) {
      const own = chain.index === 'logs' ? tokens : undefined;
      const warn = this.warner(chain);
      return new LogSource(chain, this.store, this.database, this.nodesOf(chain), facet.logSet, own, warn);
    }
    const history = new History(chain, this.store, this.builds, isHelper);
    const reader = this.readerWith(chain, tokens);
    return new BaseSource(chain, this.store, this.nodesOf(chain), reader, tokens, history);
  }

  private atomicSource(chain: EvmChain): AtomicSource {
    const { repository } = this.store;
    const nodes = this.nodesOf(chain, { withAvax: true });
    const earlier = new EarlierExports(chain, this.database, repository, nodes, this.warner(chain));
    return new AtomicSource(chain, nodes, earlier);
  }

  private readerWith(chain: EvmChain, tokens: TokenReader): BlockReader {
    return new BlockReader(tokens, this.rulesOf(chain), this.config.indexBatchBlocks);
  }

  /** One for all indexes of a chain. */
  private rulesOf(chain: EvmChain): ChainMintRules {
    let rules = this.rules.get(chain);
    if (rules === undefined) {
      rules = new ChainMintRules(chain, this.genesis, this.warner(chain));
      this.rules.set(chain, rules);
    }
    return rules;
  }

  /** Each URL by itself: the one that is wrong must be known from the others. */
  private nodesOf(
    chain: EvmChain,
    {
      warn,
      withAvax = false,
      ...options
    }: { maxBatchSize?: number; warn?: (text: string) => void; withAvax?: boolean } = {},
  ): EvmNodes {
    return new EvmNodes(
      chain.rpcUrls.map((url, i) => {
        const avax = withAvax ? this.chains.connectAvax(url) : undefined;
        return new EvmNode(this.chains.connect([url], options), chain, warn, avax, nameOfNode(i));
      }),
    );
  }

  private warner(chain: EvmChain): (text: string) => void {
    return (text) => this.logger.warn(`${chain.name}: ${text}`);
  }
}
