import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DataSource } from 'typeorm';
import { parseBlock } from '../../src/avalanche/platformvm/codec/block.js';
import { BlockReplay } from '../../src/avalanche/platformvm/state/block-replay.js';
import { makeChainRules } from '../../src/avalanche/platformvm/state/chain-rules.js';
import { genesisState } from '../../src/avalanche/platformvm/state/genesis-state.js';
import { JsonRpcClient } from '../../src/avalanche/rpc/json-rpc-client.js';
import { dataSourceOptions, runMigrations } from '../../src/database/data-source.js';
import { startPostgres, type PostgresServer } from '../../src/embedded/postgres-server.js';
import type { IndexerProgress } from '../../src/indexing/indexer.js';
import { PChainIndexer } from '../../src/p-chain-index/p-chain-indexer.js';
import { PChainStateRepository } from '../../src/p-chain-index/p-chain-state.repository.js';
import { PChainWriter } from '../../src/p-chain-index/p-chain-writer.js';
import { PChainNode, PChainNodes } from '../../src/p-chain-index/sources/p-chain-node.js';
import { type GeneratedBlock, localGenesis, PChainGenerator } from '../support/p-chain-generator.js';
import { startChild } from './child.js';
import { describeMachine } from './machine.js';

/**
 * `npm run bench:index`: how many blocks a second the index reads. The blocks are made up, with one or two transactions each,
 * as most of the P-chain's are; the node is a process of its own that only hands them out.
 */

const USAGE = `Usage: npm run bench:index -- [options]
  --blocks N    blocks to index (40000)
  --batch N     blocks per transaction (2000)
  --memory      only in memory, without Postgres`;

const { values } = parseArgs({
  options: {
    blocks: { type: 'string', default: '40000' },
    batch: { type: 'string', default: '2000' },
    memory: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const count = Number(values.blocks);
const batchBlocks = Number(values.batch);
if (values.help || !Number.isInteger(count) || !Number.isInteger(batchBlocks)) {
  console.error(USAGE);
  process.exit(values.help ? 0 : 2);
}

const GOALS = { memory: 5_000, postgres: 2_000 };
/** Enough for the compiler to know the code. */
const WARM_UP_BLOCKS = 2_000;
const MAX_DURATION_MS = 3_600_000;

const say = (text: string): void => console.error(`[bench] ${text}`);

interface Figure {
  readonly what: string;
  readonly blocksPerSecond: number;
  readonly goal: number | undefined;
}

const figures: Figure[] = [];
const genesis = await localGenesis();

/** Decoding alone, and with the state machine behind it. */
function measureInMemory(blocks: readonly GeneratedBlock[]): void {
  const upgrades = { banff: 0, cortina: 0, durango: 0, etna: 0, helicon: Number.MAX_SAFE_INTEGER };
  const { networkId, avaxAssetId } = genesis;
  const rules = makeChainRules({ networkId, avaxAssetId, upgrades });
  const apply = (some: readonly GeneratedBlock[]): number => {
    const replay = new BlockReplay(genesisState(genesis, rules).state);
    return perSecond(some.length, () => {
      for (const [i, { bytes }] of some.entries()) {
        replay.apply(parseBlock(bytes));
        if (i % batchBlocks === batchBlocks - 1) replay.takeChanges();
      }
    });
  };
  apply(blocks.slice(0, WARM_UP_BLOCKS));
  const decoding = perSecond(blocks.length, () => blocks.forEach(({ bytes }) => parseBlock(bytes)));
  figures.push({ what: 'decode, in memory', blocksPerSecond: decoding, goal: undefined });
  figures.push({ what: 'decode and apply, in memory', blocksPerSecond: apply(blocks), goal: GOALS.memory });
}

function perSecond(blocks: number, work: () => void): number {
  const startedAt = performance.now();
  work();
  return blocks / ((performance.now() - startedAt) / 1000);
}

/** All of it: asking the node over HTTP, checking, decoding, applying, writing, committing. */
async function measureIndexing(postgres: PostgresServer, nodeUrl: string, what: string): Promise<void> {
  const dataSource = await freshDatabase(postgres.url);
  const client = new JsonRpcClient({ urls: [nodeUrl], timeoutMs: 20_000 });
  const nodes = client.perNode().map((rpc) => new PChainNode(rpc, { concurrency: 16 }, say));
  const repository = new PChainStateRepository(dataSource);
  const store = { network: 'fuji' as const, repository, writer: new PChainWriter(dataSource) };
  const indexer = new PChainIndexer(store, new PChainNodes(nodes), { pollMs: 10, batchBlocks }, say);
  const atTip = new AbortController();
  const startedAt = performance.now();
  const onProgress = ({ height, tip }: IndexerProgress): void => {
    if (height === tip) atTip.abort();
  };
  await indexer
    .advance({ durationMs: MAX_DURATION_MS, signal: atTip.signal, onProgress })
    .catch((error: unknown) => {
      if (!atTip.signal.aborted) throw error;
    });
  const blocksPerSecond = count / ((performance.now() - startedAt) / 1000);
  figures.push({ what, blocksPerSecond, goal: GOALS.postgres });
  client.close();
  await dataSource.destroy();
}

async function freshDatabase(url: string): Promise<DataSource> {
  const name = `bench_${figures.length}`;
  const server = await new DataSource(dataSourceOptions({ url, poolSize: 1 })).initialize();
  await server.query(`CREATE DATABASE ${name}`);
  await server.destroy();
  const fresh = new URL(url);
  fresh.pathname = `/${name}`;
  const dataSource = await new DataSource(dataSourceOptions({ url: fresh.href, poolSize: 4 })).initialize();
  await runMigrations(dataSource);
  return dataSource;
}

function report(): string {
  const rows = figures.map(({ what, blocksPerSecond, goal }) => {
    const reached = goal === undefined ? '' : `≥ ${goal} ${blocksPerSecond >= goal ? '✓' : '✗'}`;
    return `| ${what} | ${Math.round(blocksPerSecond)} | ${reached} |`;
  });
  const machine = `${count} blocks, ${batchBlocks} per transaction; ${describeMachine()}`;
  return ['| P-chain index | blocks/s | goal |', '|---|---|---|', ...rows, '', machine].join('\n');
}

const folder = mkdtempSync(join(tmpdir(), 'nds-bench-'));
chmodSync(folder, 0o755); // Postgres runs as another user when this is root
try {
  say(`making ${count} blocks`);
  measureInMemory(new PChainGenerator(genesis).take(count));
  if (!values.memory) {
    say('starting Postgres and the node');
    const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), progress: say });
    for (const [args, what] of [
      [['--index-api'], 'from the index API into Postgres'],
      [[], 'block by block into Postgres'],
    ] as const) {
      say(what);
      const entry = 'test/bench/index-p-chain-node.ts';
      const node = await startChild({ folder, name: 'node', entry, args: [String(count), ...args] });
      await measureIndexing(postgres, node.url, what);
      await node.stop();
    }
    await postgres.stop();
    postgres.removeData();
  }
} finally {
  if (figures.length > 0) console.log(report());
  rmSync(folder, { recursive: true, force: true });
}
