import { createHash } from 'node:crypto';
import { DataSource } from 'typeorm';
import { Database } from '../../../src/database/database.js';
import { JsonRpcClient } from '../../../src/avalanche/rpc/json-rpc-client.js';
import { dataSourceOptions, runMigrations } from '../../../src/database/data-source.js';
import { ChainFollower } from '../../../src/indexing/chain-follower.js';
import type { Indexer } from '../../../src/indexing/indexer.js';
import { FollowedPChain } from '../../../src/p-chain-index/followed-p-chain.js';
import { PChainStateRepository } from '../../../src/p-chain-index/p-chain-state.repository.js';
import { PChainWriter } from '../../../src/p-chain-index/p-chain-writer.js';
import { PChainNode, PChainNodes } from '../../../src/p-chain-index/sources/p-chain-node.js';
import { FakePChainNode } from './fake-p-chain-node.js';
import type { GeneratedBlock } from './p-chain-generator.js';
import { onCleanup } from '../harness/cleanup.js';
import { createTestDatabase } from '../harness/services.js';

/** A database of its own with all tables. */
export async function createMigratedDatabase(): Promise<DataSource> {
  const { url } = await createTestDatabase();
  return connect(url);
}

/** One that a service may not have migrated yet. */
export async function openDatabase(url: string): Promise<DataSource> {
  const dataSource = await connect(url);
  await runMigrations(dataSource);
  return dataSource;
}

async function connect(url: string): Promise<DataSource> {
  const dataSource = await new DataSource(dataSourceOptions({ url, poolSize: 4 })).initialize();
  onCleanup(() => dataSource.destroy());
  return dataSource;
}

/** Stopped afterwards. */
export async function startFakeNode(blocks: readonly GeneratedBlock[]): Promise<FakePChainNode> {
  const node = await FakePChainNode.start(blocks);
  onCleanup(() => node.stop());
  return node;
}

export interface TestIndexer {
  readonly indexer: Indexer;
  readonly warnings: string[];
}

/** An indexer of fuji as the worker makes it, without Temporal around it. */
export function createIndexer(
  dataSource: DataSource,
  urls: readonly string[],
  options: { batchBlocks?: number; concurrency?: number; timeoutMs?: number } = {},
): TestIndexer {
  const client = new JsonRpcClient({ urls, timeoutMs: options.timeoutMs ?? 5_000 });
  onCleanup(() => client.close());
  const warnings: string[] = [];
  const warn = (text: string): void => void warnings.push(text);
  const nodes = new PChainNodes(
    client.perNode().map((rpc) => new PChainNode(rpc, { concurrency: options.concurrency ?? 8 }, warn)),
  );
  const repository = new PChainStateRepository(new Database(dataSource));
  const store = { network: 'fuji' as const, repository, writer: new PChainWriter(new Database(dataSource)) };
  const chain = new FollowedPChain(store, nodes, options.batchBlocks ?? 100);
  return { indexer: new ChainFollower(chain, nodes, 20, warn), warnings };
}

/** Works until the tip is reached, at most for a while. */
export async function advanceToTip(
  indexer: Indexer,
  timeoutMs = 60_000,
  /** Of one turn, which also lasts that long at the tip. */
  durationMs = 100,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const progress = await indexer.advance({
      durationMs,
      signal: new AbortController().signal,
      onProgress: () => undefined,
    });
    if (progress.state === 'running' && progress.height === progress.tip) return;
    if (Date.now() > deadline) throw new Error(`not at the tip: ${progress.message ?? progress.height}`);
  }
}

const TABLES = [
  'p_chain_transactions',
  'nodes',
  'validators',
  'delegators',
  'delegator_reward_addresses',
  'subnets',
  'blockchains',
  'subnet_stakes',
  'l1_validators',
  'utxos',
  'utxo_listings',
  'assets',
  'x_chain_transactions',
  'p_chain_totals',
  'index_checkpoints',
] as const;

/** All that an index wrote, as digests by table: two databases with equal ones hold the same rows. */
export async function digestTables(dataSource: DataSource): Promise<Record<string, string>> {
  const digests: Record<string, string> = {};
  for (const table of TABLES) {
    const rows = await dataSource.query<{ row: string }[]>(
      `SELECT (to_jsonb(t) - 'updated_at')::text AS row FROM ${table} t ORDER BY 1`,
    );
    const hash = createHash('sha256');
    for (const { row } of rows) hash.update(row).update('\n');
    digests[table] = `${rows.length} ${hash.digest('hex').slice(0, 16)}`;
  }
  return digests;
}
