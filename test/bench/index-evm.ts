import type { DataSource } from 'typeorm';
import { Database } from '../../src/database/database.js';
import { EvmClient } from '../../src/avalanche/evm/evm-client.js';
import { NO_MINTS } from '../../src/avalanche/evm/native-mints.js';
import { type EvmChain, MESSENGER } from '../../src/evm-chains/evm-chain.js';
import { BaseSource } from '../../src/evm-index/base-source.js';
import { BlockReader } from '../../src/evm-index/block-reader.js';
import { EvmIndexRepository } from '../../src/evm-index/evm-index.repository.js';
import { EvmNode, EvmNodes } from '../../src/evm-index/evm-node.js';
import { EvmWriter } from '../../src/evm-index/evm-writer.js';
import { FacetBackfill } from '../../src/evm-index/facet-backfill.js';
import { FollowedEvmChain } from '../../src/evm-index/followed-evm-chain.js';
import { EvmPartitions } from '../../src/evm-index/partitions.js';
import { BlockTipReader } from '../../src/evm-index/tip-readers.js';
import { TokenReader } from '../../src/evm-index/token-reader.js';
import { ChainFollower } from '../../src/indexing/chain-follower.js';
import { CoverageRepository } from '../../src/indexing/coverage.repository.js';
import type { Indexer, IndexerProgress } from '../../src/indexing/indexer.js';
import { type Child, startChild } from './child.js';
import { BENCH_CHAIN_ID } from './index-evm-shape.js';
import type { IndexBench } from './index-bench.js';
import { median } from './measure.js';

/** As EVM_INDEX_CONCURRENCY, EVM_INDEX_BATCH_CALLS and INDEX_BATCH_BLOCKS are when nobody sets them. */
const CLIENT = { timeoutMs: 20_000, concurrency: 4, maxBatchSize: 200 };
const BATCH_BLOCKS = 2_000;
const POLL_MS = 10;
const ROUNDS = 3;
const MAX_DURATION_MS = 3_600_000;

const CHAIN: EvmChain = {
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
const RULES = { knowsGenesis: () => Promise.resolve(true), read: () => Promise.resolve(NO_MINTS) };

interface Round {
  readonly rpcMs: number;
  readonly indexMs: number;
}

/** How much longer a chain takes into Postgres than its blocks take to be fetched and parsed, in rounds of both. */
export async function benchEvmChain(bench: IndexBench, blocks: number): Promise<string> {
  bench.say(`making ${blocks} EVM blocks`);
  const entry = 'test/bench/index-evm-node.ts';
  const node = await startChild({ folder: bench.folder, name: 'evm node', entry, args: [String(blocks)] });
  const rounds: Round[] = [];
  let counts = { transactions: 0, transfers: 0, bytes: 0 };
  await measureRpc(node, blocks); // lets the compiler know the code
  for (let round = 1; round <= ROUNDS; round++) {
    bench.say(`EVM chain, round ${round} of ${ROUNDS}`);
    const rpcMs = await measureRpc(node, blocks);
    const { dataSource, drop } = await bench.freshDatabase();
    const indexMs = await measureIndex(node, dataSource);
    counts = await count(dataSource);
    await drop();
    rounds.push({ rpcMs, indexMs });
  }
  await node.stop();
  return report(blocks, rounds, counts);
}

/** The same batches, read and parsed, and nothing done with them. */
async function measureRpc({ url }: Child, blocks: number): Promise<number> {
  const client = EvmClient.connect({ urls: [url], ...CLIENT });
  const reader = new BlockReader({ readNew: () => Promise.resolve([]) }, RULES, BATCH_BLOCKS);
  const range = { from: 0n, to: BigInt(blocks - 1) };
  const links = { lastHash: undefined, parent: undefined };
  const limits = { until: Date.now() + MAX_DURATION_MS, signal: new AbortController().signal };
  const startedAt = performance.now();
  let read = 0;
  for await (const batch of reader.downwards(client, range, links, limits)) read += batch.blocks.length;
  if (read !== blocks) throw new Error(`read ${read} of ${blocks} blocks`);
  client.close();
  return performance.now() - startedAt;
}

/** All blocks below the tip, as they are filled in, and what exports find their rows by. */
async function measureIndex({ url }: Child, dataSource: DataSource): Promise<number> {
  const client = EvmClient.connect({ urls: [url], ...CLIENT });
  const database = new Database(dataSource);
  const repository = new EvmIndexRepository(database, new CoverageRepository(database));
  const store = { repository, writer: new EvmWriter(database, new EvmPartitions(database)) };
  const nodes = new EvmNodes([new EvmNode(client, CHAIN)]);
  const tokens = new TokenReader(repository, CHAIN);
  const reader = new BlockReader(tokens, RULES, BATCH_BLOCKS);
  const warn = (text: string): void => console.error(text);
  const fromTip = { ...CHAIN, startHeight: 'tip' } as const;
  const followed = new FollowedEvmChain(fromTip, store, nodes, new BlockTipReader(CHAIN, reader, tokens));
  await advanceToEnd(new ChainFollower(followed, nodes, POLL_MS, warn));
  const source = new BaseSource(CHAIN, store, nodes, reader, tokens);
  const startedAt = performance.now();
  await advanceToEnd(new FacetBackfill(CHAIN, store, source, POLL_MS, warn));
  await store.writer.makeIndexes(CHAIN, undefined, new AbortController().signal);
  const tookMs = performance.now() - startedAt;
  client.close();
  return tookMs;
}

async function advanceToEnd(indexer: Indexer): Promise<void> {
  const atEnd = new AbortController();
  const onProgress = ({ state, secondsLeft }: IndexerProgress): void => {
    if (state === 'running' && secondsLeft === 0) atEnd.abort();
  };
  await indexer
    .advance({ durationMs: MAX_DURATION_MS, signal: atEnd.signal, onProgress })
    .catch((error: unknown) => {
      if (!atEnd.signal.aborted) throw error;
    });
}

async function count(
  dataSource: DataSource,
): Promise<{ transactions: number; transfers: number; bytes: number }> {
  const [row] = await dataSource.query<{ transactions: number; transfers: number; bytes: string }[]>(
    `SELECT (SELECT count(*)::int FROM evm_transactions) AS transactions,
       (SELECT count(*)::int FROM evm_transfers) AS transfers,
       (SELECT sum(pg_total_relation_size(relid)) FROM pg_partition_tree('evm_transactions'))
         + (SELECT sum(pg_total_relation_size(relid)) FROM pg_partition_tree('evm_transfers'))
         + (SELECT sum(pg_total_relation_size(relid)) FROM pg_partition_tree('evm_blocks')) AS bytes`,
  );
  if (row === undefined) throw new Error('no counts');
  return { ...row, bytes: Number(row.bytes) };
}

function report(
  blocks: number,
  rounds: readonly Round[],
  { transactions, transfers, bytes }: { transactions: number; transfers: number; bytes: number },
): string {
  const line = (what: string, ms: number): string => {
    const perSecond = (amount: number): string => Math.round((amount * 1000) / ms).toLocaleString('en-US');
    return `| ${what} | ${perSecond(blocks)} | ${perSecond(transactions)} | ${perSecond(transfers)} |`;
  };
  const ratio = median(rounds.map(({ rpcMs, indexMs }) => indexMs / rpcMs));
  const gigabytes = (bytes / transactions / 1000).toFixed(2);
  return [
    '| EVM chain | blocks/s | transactions/s | token transfers/s |',
    '|---|---|---|---|',
    line('fetched and parsed only', median(rounds.map(({ rpcMs }) => rpcMs))),
    line('into Postgres', median(rounds.map(({ indexMs }) => indexMs))),
    '',
    `Into Postgres it takes ${ratio.toFixed(2)}× the time of the RPC alone (median of ${rounds.length} rounds); ` +
      `${blocks} blocks, ${transactions} transactions, ${transfers} token transfers; ` +
      `on disk ${gigabytes} GB per million transactions, indexes included.`,
  ].join('\n');
}
