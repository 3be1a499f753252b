import { createHash } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { EvmClient } from '../../../src/avalanche/evm/rpc/evm-client.js';
import { AvaxClient } from '../../../src/avalanche/rpc/avax-client.js';
import { evmChainName, type EvmChainRef } from '../../../src/platform/database/chains.js';
import { Database } from '../../../src/platform/database/database.js';
import type { EvmChain } from '../../../src/platform/evm-chains/evm-chain.js';
import { AtomicSource } from '../../../src/indexes/evm/sources/atomic-source.js';
import { BaseSource } from '../../../src/indexes/evm/sources/base-source.js';
import { BlockReader } from '../../../src/indexes/evm/sources/block-reader.js';
import { ChainMintRules } from '../../../src/indexes/evm/sources/chain-mint-rules.js';
import { EarlierExports } from '../../../src/indexes/evm/sources/earlier-exports.js';
import { EvmBuilds } from '../../../src/indexes/evm/rows/builds.js';
import { EvmIndexRepository } from '../../../src/indexes/evm/rows/evm-index.repository.js';
import { EvmNode, EvmNodes } from '../../../src/indexes/evm/sources/evm-node.js';
import { EvmWriter } from '../../../src/indexes/evm/rows/evm-writer.js';
import { ChainRecords } from '../../../src/indexes/evm/facets/chain-records.js';
import { FacetBackfill } from '../../../src/indexes/evm/facets/facet-backfill.js';
import { FollowedEvmChain } from '../../../src/indexes/evm/facets/followed-evm-chain.js';
import { History } from '../../../src/indexes/evm/facets/history.js';
import { GenesisAllocations } from '../../../src/indexes/evm/sources/genesis-allocations.js';
import { EvmPartitions } from '../../../src/indexes/evm/rows/partitions.js';
import { logSetsOf } from '../../../src/indexes/evm/sources/logs/log-sets.js';
import { LogSource } from '../../../src/indexes/evm/sources/logs/log-source.js';
import { BlockTipReader, LogTipReader } from '../../../src/indexes/evm/sources/tip-readers.js';
import { TokenReader } from '../../../src/indexes/evm/sources/token-reader.js';
import { TraceSource } from '../../../src/indexes/evm/sources/trace-source.js';
import { ChainFollower } from '../../../src/indexes/engine/following/chain-follower.js';
import { CoverageRepository } from '../../../src/indexes/engine/coverage/coverage.repository.js';
import { nameOfNode } from '../../../src/indexes/engine/following/node-pool.js';
import {
  IDLE_POLLS,
  type Indexer,
  type IndexerProgress,
} from '../../../src/indexes/engine/following/indexer.js';
import { evmChainOf, type GeneratedEvmChain } from '../../../sandbox/generated/evm-chain-generator.js';
import { type Sandbox, startSandbox } from '../../../sandbox/sandbox.js';
import { onCleanup } from '../harness/cleanup.js';
import { PATIENCE_MS } from '../harness/eventually.js';
import { timeoutOf } from '../node-patience.js';
import { TEST_CHAIN, TEST_CHAIN_ID } from './test-chain.js';

export { TEST_CHAIN, TEST_CHAIN_ID };

/** A sandbox whose C-chain has these blocks. Stopped afterwards. */
export async function startEvmChain(
  blocks: GeneratedEvmChain['blocks'],
  chain: Partial<GeneratedEvmChain> = {},
): Promise<Sandbox> {
  const { blockchainId } = TEST_CHAIN;
  const sandbox = await startSandbox({
    validators: 1,
    recording: null,
    blockIntervalMs: 0,
    evmRecordings: [evmChainOf({ chainId: TEST_CHAIN_ID, blockchainId, blocks, ...chain })],
  });
  onCleanup(() => sandbox.stop());
  return sandbox;
}

export function setTip(node: Sandbox, height: number): void {
  node.setCChainBehaviour({ kind: 'tip', height });
}

export function makeWriter(dataSource: DataSource, Partitions = EvmPartitions): EvmWriter {
  const database = new Database(dataSource);
  const partitions = new Partitions(database);
  return new EvmWriter(database, partitions, new EvmBuilds(database, partitions));
}

function makeRepository(dataSource: DataSource): EvmIndexRepository {
  const database = new Database(dataSource);
  return new EvmIndexRepository(database, new CoverageRepository(database));
}

/** As if the index had come to this height. */
export async function standAt(
  dataSource: DataSource,
  { network, chainId }: EvmChainRef,
  height: number,
): Promise<void> {
  await dataSource.query(
    `INSERT INTO index_checkpoints (network, chain, height, block_id, block_time, state)
     VALUES ($1, $2, $3, '\\x00', 0, '{"genesisHash": null, "firstHeight": "0"}')
     ON CONFLICT (network, chain) DO UPDATE SET height = EXCLUDED.height`,
    [network, evmChainName(chainId), height],
  );
}

export interface TestEvmIndex {
  readonly follower: Indexer;
  readonly base: Indexer;
  /** Another worker of the same history. */
  readonly makeHelper: () => Indexer;
  /** Undefined for a chain that is not traced. */
  readonly traces: Indexer | undefined;
  readonly atomic: Indexer;
  /** One for each set. */
  readonly logs: readonly Indexer[];
  readonly warnings: string[];
}

/** The indexes of a chain as the worker makes them, without Temporal around them. */
export function createEvmIndex(
  dataSource: DataSource,
  urls: readonly string[],
  options: {
    chain?: Partial<EvmChain> | undefined;
    batchBlocks?: number;
    /** Of all nodes, or of each. */
    timeoutMs?: number | readonly number[];
    maxBatchCalls?: number;
    writer?: EvmWriter;
    /** Older blocks are written with it. */
    database?: Database;
    /** How wide partitions are. */
    partitions?: typeof EvmPartitions;
    /** How many blocks nodes behind one address may be apart. */
    maxLagBlocks?: bigint;
    /** Answers of the nodes themselves. */
    nodeWarnings?: string[];
  } = {},
): TestEvmIndex {
  const chain = { ...TEST_CHAIN, ...options.chain };
  const warnings: string[] = [];
  const warn = (text: string): void => void warnings.push(text);
  const nodesOf = (maxBatchSize = options.maxBatchCalls ?? 200): EvmNodes =>
    new EvmNodes(
      urls.map((url, i) => {
        const timeoutMs = timeoutOf(options.timeoutMs, i);
        const client = EvmClient.connect({
          urls: [url],
          timeoutMs,
          retryDelayMs: 10,
          // Longer than the slowest pace at which a host that has had enough is asked.
          maxRestMs: 2_500,
          maxBatchSize,
        });
        onCleanup(() => client.close());
        const avax = AvaxClient.connect(url, { timeoutMs });
        onCleanup(() => avax?.close());
        return new EvmNode(client, chain, (text) => options.nodeWarnings?.push(text), avax, nameOfNode(i));
      }),
    );
  const repository = makeRepository(dataSource);
  const { partitions: Partitions = EvmPartitions } = options;
  const writer = options.writer ?? makeWriter(dataSource, Partitions);
  const records = new ChainRecords(repository, writer.changes, IDLE_POLLS * POLL_MS);
  const store = { repository, writer, records };
  const tokens = new TokenReader(repository, chain);
  const rules = new ChainMintRules(chain, new GenesisAllocations(new Database(dataSource)), warn);
  const reader = (): BlockReader => new BlockReader(tokens, rules, options.batchBlocks ?? 50);
  const nodes = nodesOf();
  const makeBase = (isHelper: boolean): FacetBackfill => {
    const own = options.database ?? new Database(dataSource);
    const builds = new EvmBuilds(own, new Partitions(own));
    const ownStore =
      options.database === undefined
        ? store
        : { ...store, writer: new EvmWriter(own, new Partitions(own), builds) };
    const history = new History(chain, ownStore, builds, isHelper);
    const source = new BaseSource(chain, store, nodesOf(), reader(), tokens, history);
    return new FacetBackfill(chain, store, source, POLL_MS, warn);
  };
  const traces = new TraceSource(chain, repository, nodesOf(1), rules);
  const database = new Database(dataSource);
  const atomicNodes = nodesOf();
  const { maxLagBlocks } = options;
  const earlier = new EarlierExports(chain, database, repository, atomicNodes, warn, maxLagBlocks);
  const atomic = new AtomicSource(chain, atomicNodes, earlier);
  const tip = chain.index === 'logs' ? new LogTipReader(chain) : new BlockTipReader(chain, reader(), tokens);
  const logs = logSetsOf(chain).map((set) => {
    const source = new LogSource(chain, store, database, nodesOf(), set, undefined, warn);
    return new FacetBackfill(chain, store, source, POLL_MS, warn);
  });
  return {
    logs,
    atomic: new FacetBackfill(chain, store, atomic, POLL_MS, warn),
    follower: new ChainFollower(new FollowedEvmChain(chain, store, nodes, tip), nodes, POLL_MS, warn),
    base: makeBase(false),
    makeHelper: () => makeBase(true),
    traces: chain.traces === 'off' ? undefined : new FacetBackfill(chain, store, traces, POLL_MS, warn),
    warnings,
  };
}

const POLL_MS = 20;

/** Works until the tip is reached and nothing is left to fill in, at most as long as the patience of tests lasts. */
export async function advanceToEnd({ follower, base, traces }: TestEvmIndex): Promise<IndexerProgress> {
  const atTip = await advanceUntilDone(follower);
  await advanceUntilDone(base);
  if (traces !== undefined) await advanceUntilDone(traces);
  return atTip;
}

export async function advanceUntilDone(indexer: Indexer): Promise<IndexerProgress> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const done = new AbortController();
    let last: IndexerProgress | undefined;
    try {
      last = await indexer.advance({
        durationMs: 500,
        signal: done.signal,
        onProgress: (progress) => {
          if (progress.state !== 'running' || progress.secondsLeft !== 0) return;
          last = progress;
          done.abort(DONE);
        },
      });
    } catch (error) {
      if (error !== DONE) throw error;
    }
    if (last?.state === 'running' && last.secondsLeft === 0) return last;
    if (Date.now() > deadline) throw new Error(`not at the end: ${last?.message ?? last?.height}`);
  }
}

const DONE = new Error('done');

const TABLES = [
  'evm_blocks',
  'evm_transactions',
  'evm_transfers',
  'evm_internal_transfers',
  'evm_atomic_transfers',
  'evm_atomic_transactions',
  'evm_atomic_totals',
  'evm_logs',
  'evm_tokens',
] as const;

/** All rows of the index, as digests by table: two databases with equal ones hold the same rows. */
export async function digestEvmTables(dataSource: DataSource): Promise<Record<string, string>> {
  const digests: Record<string, string> = {};
  for (const table of TABLES) {
    const rows = await dataSource.query<{ row: string }[]>(
      `SELECT (to_jsonb(t) - 'asked_at' - 'seq')::text AS row FROM ${table} t ORDER BY 1`,
    );
    const hash = createHash('sha256');
    for (const { row } of rows) hash.update(row).update('\n');
    digests[table] = `${rows.length} ${hash.digest('hex').slice(0, 16)}`;
  }
  return digests;
}

/** `from-to` of what is complete; what no node has with a question mark, what was dropped with a cross. */
export async function rangesOf(
  dataSource: DataSource,
  facet = 'base',
  chainId = TEST_CHAIN_ID,
): Promise<string[]> {
  const rows = await dataSource.query<{ range: string }[]>(
    `SELECT from_height || '-' || to_height || CASE status WHEN 'complete' THEN '' WHEN 'dropped' THEN 'x' ELSE '?' END AS range
       FROM index_coverage WHERE chain = $1 AND facet = $2 ORDER BY from_height`,
    [evmChainName(chainId), facet],
  );
  return rows.map(({ range }) => range);
}
