import type { DataSource } from 'typeorm';
import { EvmClient } from '../../src/avalanche/evm/rpc/evm-client.js';
import { NO_MINTS } from '../../src/avalanche/evm/transfers/native-mints.js';
import { Database } from '../../src/platform/database/database.js';
import { type EvmChain, MESSENGER } from '../../src/platform/evm-chains/evm-chain.js';
import { AtomicSource } from '../../src/indexes/evm/sources/atomic-source.js';
import { BaseSource } from '../../src/indexes/evm/sources/base-source.js';
import { BlockReader } from '../../src/indexes/evm/sources/block-reader.js';
import { EvmBuilds } from '../../src/indexes/evm/rows/builds.js';
import { History } from '../../src/indexes/evm/facets/history.js';
import { EvmIndexRepository } from '../../src/indexes/evm/rows/evm-index.repository.js';
import { EvmNode, EvmNodes } from '../../src/indexes/evm/sources/evm-node.js';
import { EvmWriter } from '../../src/indexes/evm/rows/evm-writer.js';
import { ChainRecords } from '../../src/indexes/evm/facets/chain-records.js';
import { FacetBackfill } from '../../src/indexes/evm/facets/facet-backfill.js';
import { FollowedEvmChain } from '../../src/indexes/evm/facets/followed-evm-chain.js';
import { EvmPartitions } from '../../src/indexes/evm/rows/partitions.js';
import { BlockTipReader } from '../../src/indexes/evm/sources/tip-readers.js';
import { TokenReader } from '../../src/indexes/evm/sources/token-reader.js';
import { ChainFollower } from '../../src/indexes/engine/following/chain-follower.js';
import { CoverageRepository } from '../../src/indexes/engine/coverage/coverage.repository.js';
import type { Indexer, IndexerProgress } from '../../src/indexes/engine/following/indexer.js';
import { BENCH_CHAIN_ID } from './index-evm-shape.js';

/** As they are when nobody sets INDEX_CONCURRENCY. */
export const BENCH_CLIENT = { timeoutMs: 20_000, concurrency: 4, maxBatchSize: 200 };
export const BATCH_BLOCKS = 2_000;
export const MAX_DURATION_MS = 3_600_000;
const POLL_MS = 10;

export const BENCH_CHAIN: EvmChain = {
  network: 'mainnet',
  chainId: BENCH_CHAIN_ID,
  blockchainId: '2q9e4r6Mu3U68nU1fYjgbR6JvwrRx36CohpAX5UQxse55x1Q5',
  name: 'made-up chain',
  rpcUrls: [],
  startHeight: 0n,
  nativeSymbol: 'AVAX',
  nativeDecimals: 18,
  traces: 'off',
  index: 'full',
  watch: ['messages', 'tokens'],
  messengers: [MESSENGER],
};

/** Of a chain that mints nothing. */
export const NO_RULES = { knowsGenesis: () => Promise.resolve(true), read: () => Promise.resolve(NO_MINTS) };

export interface BenchedEvmIndex {
  /** Begins at the tip of its first moment. */
  readonly tip: Indexer;
  /** All that is below it. */
  readonly backfill: Indexer;
  /** Imports and exports, from the headers of all blocks. */
  readonly atomic: Indexer;
  readonly writer: EvmWriter;
  /** Makes some of that, as long as there is something to begin with. */
  help(): Promise<void>;
  close(): void;
}

/** As wide as the benchmark wants them. */
class SizedPartitions extends EvmPartitions {
  protected override readonly size;

  constructor(database: Database, blocks: number) {
    super(database);
    this.size = { rows: 1, maxBlocks: blocks, minBlocks: blocks };
  }
}

/** The index of an EVM chain as a worker has it. */
export function openEvmIndex(
  url: string,
  dataSource: DataSource,
  { partitionBlocks, isHelper = false }: { partitionBlocks?: number; isHelper?: boolean } = {},
): BenchedEvmIndex {
  const client = EvmClient.connect({ urls: [url], ...BENCH_CLIENT });
  const database = new Database(dataSource);
  const repository = new EvmIndexRepository(database, new CoverageRepository(database));
  const partitions =
    partitionBlocks === undefined
      ? new EvmPartitions(database)
      : new SizedPartitions(database, partitionBlocks);
  const builds = new EvmBuilds(database, partitions);
  const writer = new EvmWriter(database, partitions, builds);
  const store = { repository, writer, records: new ChainRecords(repository, writer.changes, POLL_MS) };
  const nodes = new EvmNodes([new EvmNode(client, BENCH_CHAIN)]);
  const tokens = new TokenReader(repository, BENCH_CHAIN);
  const reader = new BlockReader(tokens, NO_RULES, BATCH_BLOCKS);
  const warn = (text: string): void => console.error(text);
  const fromTip = { ...BENCH_CHAIN, startHeight: 'tip' } as const;
  const followed = new FollowedEvmChain(
    fromTip,
    store,
    nodes,
    new BlockTipReader(BENCH_CHAIN, reader, tokens),
  );
  const history = new History(BENCH_CHAIN, store, builds, isHelper);
  const source = new BaseSource(BENCH_CHAIN, store, nodes, reader, tokens, history);
  const backfill = new FacetBackfill(BENCH_CHAIN, store, source, POLL_MS, warn);
  return {
    tip: new ChainFollower(followed, nodes, POLL_MS, warn),
    backfill,
    atomic: new FacetBackfill(BENCH_CHAIN, store, new AtomicSource(BENCH_CHAIN, nodes), POLL_MS, warn),
    writer: store.writer,
    help: async () => {
      await backfill.advance({
        durationMs: MAX_DURATION_MS,
        signal: new AbortController().signal,
        onProgress: () => undefined,
      });
    },
    close: () => client.close(),
  };
}

/** Runs an index until `isDone` is true of its progress: as a rule when nothing is left to do. */
export async function advanceUntil(
  indexer: Indexer,
  isDone: (progress: IndexerProgress) => boolean = isAtEnd,
): Promise<void> {
  const done = new AbortController();
  const onProgress = (progress: IndexerProgress): void => {
    if (isDone(progress)) done.abort();
  };
  await indexer
    .advance({ durationMs: MAX_DURATION_MS, signal: done.signal, onProgress })
    .catch((error: unknown) => {
      if (!done.signal.aborted) throw error;
    });
}

function isAtEnd({ state, secondsLeft }: IndexerProgress): boolean {
  return state === 'running' && secondsLeft === 0;
}
