import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parseAvmBlock } from '../../src/avalanche/avm/codec/block.js';
import { AvmExecution } from '../../src/avalanche/avm/state/avm-execution.js';
import { JsonRpcClient } from '../../src/avalanche/rpc/json-rpc-client.js';
import { Database } from '../../src/platform/database/database.js';
import { startPostgres } from '../../sandbox/local/postgres-server.js';
import { followXChain } from '../support/x-chain/followed-x-chain.js';
import { XChainNode } from '../../src/indexes/x-chain/sources/x-chain-node.js';
import {
  type GeneratedXBlock,
  xGenesis,
  XChainGenerator,
} from '../../sandbox/generated/x-chain-generator.js';
import { makeBenchFolder } from './bench-folder.js';
import { startChild } from './child.js';
import { IndexBench } from './index-bench.js';
import { describeMachine } from './machine.js';

/** `npm run bench -- x-chain`: how fast the X-chain is indexed. The blocks are made up; the node is a process that only hands them out. */

const USAGE = `Usage: npm run bench -- x-chain [options]
  --blocks N        blocks to index (10000)
  --transactions N  transactions per block (10)
  --batch N         transactions per Postgres transaction (2000)
  --memory          without Postgres`;

/** Transactions a second. */
const GOALS = { memory: 20_000, postgres: 5_000 };
const MAX_DURATION_MS = 3_600_000;

const { values } = parseArgs({
  options: {
    blocks: { type: 'string', default: '10000' },
    transactions: { type: 'string', default: '10' },
    batch: { type: 'string', default: '2000' },
    memory: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const [count = 0, perBlock = 0, batch = 0] = [values.blocks, values.transactions, values.batch].map(Number);
if (values.help || ![count, perBlock, batch].every((number) => Number.isInteger(number) && number > 0)) {
  console.error(USAGE);
  process.exit(values.help ? 0 : 2);
}

const log = (text: string): void => console.error(`[bench] ${text}`);

async function measureInMemory(blocks: readonly GeneratedXBlock[]): Promise<number> {
  const { identity } = await xGenesis();
  const apply = (): number => {
    const execution = new AvmExecution(identity);
    const startedAt = performance.now();
    for (const { height, bytes } of blocks) {
      execution.applyBlock(parseAvmBlock(bytes));
      if (height % 100 === 99) execution.takeChanges();
    }
    return perSecond(blocks, startedAt);
  };
  apply(); // for the compiler to know the code
  return apply();
}

async function measureIndexing(blocks: readonly GeneratedXBlock[]): Promise<number> {
  const folder = makeBenchFolder();
  const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), progress: log });
  const entry = 'dist/test-programs/bench/x-chain-node.js';
  const node = await startChild({ folder, name: 'node', entry, args: [String(count), String(perBlock)] });
  try {
    const { dataSource, drop } = await new IndexBench(folder, postgres, log).freshDatabase();
    const client = new JsonRpcClient({ urls: [node.url], timeoutMs: 60_000 });
    const nodes = client.perNode().map((rpc) => new XChainNode(rpc, { concurrency: 16 }));
    const done = new AbortController();
    const startedAt = performance.now();
    await followXChain(new Database(dataSource), nodes, log, { batchBlocks: batch })
      .advance({
        durationMs: MAX_DURATION_MS,
        signal: done.signal,
        onProgress: ({ height }) => height === BigInt(count - 1) && done.abort(new Error('done')),
      })
      .catch((error: unknown) => {
        if (!done.signal.aborted) throw error;
      });
    const rate = perSecond(blocks, startedAt);
    client.close();
    await drop();
    return rate;
  } finally {
    await node.stop();
    await postgres.stop();
  }
}

function perSecond(blocks: readonly GeneratedXBlock[], startedAt: number): number {
  const transactions = blocks.reduce((sum, block) => sum + block.transactions, 0);
  return transactions / ((performance.now() - startedAt) / 1000);
}

function line(what: string, rate: number, goal: number): string {
  return `${what}: ${Math.round(rate)} transactions/s (goal ${goal}: ${rate >= goal ? 'reached' : 'missed'})`;
}

log(`making ${count} blocks of ${perBlock} transactions`);
const blocks = new XChainGenerator(await xGenesis()).take(count, perBlock);
const lines = [line('decoded and applied in memory', await measureInMemory(blocks), GOALS.memory)];
if (!values.memory) {
  lines.push(line('block by block into Postgres', await measureIndexing(blocks), GOALS.postgres));
}
console.log([...lines, describeMachine()].join('\n'));
