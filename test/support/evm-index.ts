import { createHash } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { Database } from '../../src/database/database.js';
import { BlockTracer } from '../../src/avalanche/evm/block-tracer.js';
import { EvmClient } from '../../src/avalanche/evm/evm-client.js';
import type { EvmChain } from '../../src/evm-chains/evm-chain.js';
import { EvmIndexRepository } from '../../src/evm-index/evm-index.repository.js';
import { EvmIndexer } from '../../src/evm-index/evm-indexer.js';
import { EvmNode, EvmNodes } from '../../src/evm-index/evm-node.js';
import { EvmWriter } from '../../src/evm-index/evm-writer.js';
import { EvmPartitions } from '../../src/evm-index/partitions.js';
import type { IndexerProgress } from '../../src/indexing/indexer.js';
import type { GeneratedEvmBlock } from './evm-chain-generator.js';
import { FakeEvmChainNode, TEST_CHAIN_ID } from './fake-evm-chain-node.js';
import { onCleanup } from './services.js';

export const TEST_CHAIN: EvmChain = {
  network: 'fuji',
  chainId: TEST_CHAIN_ID,
  blockchainId: '2CA6j5zYzasynPsFeNoqWkmTCt3VScMvXUZHbfDJ8k3oGzAPtU',
  name: 'Test chain',
  rpcUrls: [],
  startHeight: 0n,
  nativeSymbol: 'AVAX',
  nativeDecimals: 18,
  traces: 'auto',
};

/** Stopped after the spec file. */
export async function startFakeEvmChain(blocks: readonly GeneratedEvmBlock[]): Promise<FakeEvmChainNode> {
  const node = await FakeEvmChainNode.start(blocks);
  onCleanup(() => node.stop());
  return node;
}

export function makeWriter(dataSource: DataSource): EvmWriter {
  return new EvmWriter(new Database(dataSource), new EvmPartitions(new Database(dataSource)));
}

export interface TestEvmIndexer {
  readonly indexer: EvmIndexer;
  readonly warnings: string[];
}

/** An indexer as the worker makes it, without Temporal around it. */
export function createEvmIndexer(
  dataSource: DataSource,
  urls: readonly string[],
  options: { chain?: Partial<EvmChain>; batchBlocks?: number; timeoutMs?: number } = {},
): TestEvmIndexer {
  const chain = { ...TEST_CHAIN, ...options.chain };
  const warnings: string[] = [];
  const clients = urls.map((url) =>
    EvmClient.connect({
      urls: [url],
      timeoutMs: options.timeoutMs ?? 5_000,
      retryDelayMs: 10,
      maxRestMs: 100,
    }),
  );
  onCleanup(() => clients.forEach((client) => client.close()));
  const nodes = new EvmNodes(clients.map((client) => new EvmNode(client, chain.chainId)));
  const store = {
    repository: new EvmIndexRepository(new Database(dataSource)),
    writer: makeWriter(dataSource),
  };
  const settings = { pollMs: 20, batchBlocks: options.batchBlocks ?? 50 };
  const tracer = new BlockTracer(clients);
  const indexer = new EvmIndexer(chain, store, nodes, tracer, settings, (text) => void warnings.push(text));
  return { indexer, warnings };
}

/** Works until nothing is missing any more, at most for a while. */
export async function advanceToEnd(indexer: EvmIndexer, timeoutMs = 20_000): Promise<IndexerProgress> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const progress = await indexer.advance({
      durationMs: 100,
      signal: new AbortController().signal,
      onProgress: () => undefined,
    });
    if (progress.state === 'running' && progress.secondsLeft === 0) return progress;
    if (Date.now() > deadline) throw new Error(`not at the end: ${progress.message ?? progress.height}`);
  }
}

const TABLES = [
  'evm_blocks',
  'evm_transactions',
  'evm_transfers',
  'evm_internal_transfers',
  'evm_tokens',
] as const;

/** All rows of the index, as digests by table: two databases with equal ones hold the same rows. */
export async function digestEvmTables(dataSource: DataSource): Promise<Record<string, string>> {
  const digests: Record<string, string> = {};
  for (const table of TABLES) {
    const rows = await dataSource.query<{ row: string }[]>(
      `SELECT (to_jsonb(t) - 'asked_at')::text AS row FROM ${table} t ORDER BY 1`,
    );
    const hash = createHash('sha256');
    for (const { row } of rows) hash.update(row).update('\n');
    digests[table] = `${rows.length} ${hash.digest('hex').slice(0, 16)}`;
  }
  return digests;
}

/** `from-to` with a `t` for internal transfers. */
export async function rangesOf(dataSource: DataSource): Promise<string[]> {
  const [row] = await dataSource.query<{ ranges: { from: string; to: string; isTraced: boolean }[] }[]>(
    `SELECT state -> 'ranges' AS ranges FROM index_checkpoints WHERE chain = 'evm-${TEST_CHAIN_ID}'`,
  );
  return (row?.ranges ?? []).map(({ from, to, isTraced }) => `${from}-${to}${isTraced ? 't' : ''}`);
}
