import { setTimeout as delay } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { addressFor } from '../../sandbox/generated/evm-block.js';
import { poll } from '../../sandbox/local/processes/poll.js';
import { WORKER_NODE_OPTIONS } from '../../sandbox/local/worker-process.js';
import { MOVEMENT_QUERY_SETTINGS, movementQuery } from '../../src/exports/rows/movement-query.js';
import { MAX_HEIGHT } from '../../src/indexes/engine/coverage/height-range.js';
import { BASE } from '../../src/indexes/evm/facets/facets.js';
import { Database } from '../../src/platform/database/database.js';
import { HISTORY_BUILDERS } from '../../workflows/contracts/index-chain.js';
import { startChild } from './child.js';
import { advanceUntil, BENCH_CHAIN, MAX_DURATION_MS, openEvmIndex } from './evm-index-on-bench.js';
import type { IndexBench } from './index-bench.js';
import { farAway } from './serve-json-rpc.js';

/** How far away the node of the workers is, and how far public ones are. */
const NODE_DELAYS_MS = [50, 200];
const CALLERS = 50;
const PAUSE_MS = 200;
/** Nobody may wait for longer. */
const MAX_WAIT_MS = 1_000;
const PARTITION_BLOCKS = 32;

const MomentSchema = z.object({ startedAt: z.number().optional(), endedAt: z.number().optional() });

/** How much quicker two workers make the history of a chain that is far away, and what callers notice while partitions are made again. */
export async function benchHistory(
  bench: IndexBench,
  { blocks, partitions }: { blocks: number; partitions: number },
): Promise<string> {
  const rows: string[] = [];
  const node = await startNode(bench, blocks);
  for (const delayMs of NODE_DELAYS_MS) {
    const time = ({ workers, builders }: { workers: number; builders: number }) => {
      bench.log(`history with ${workers} workers of ${builders}, ${delayMs} ms away`);
      return timeWorkers(bench, { nodeUrl: farAway(node.url, delayMs), blocks, workers, builders });
    };
    const one = await time({ workers: 1, builders: 1 });
    const two = await time({ workers: 2, builders: 1 });
    const asServed = await time({ workers: 1, builders: 1 + HISTORY_BUILDERS });
    rows.push(
      `| ${blocks} blocks ${delayMs} ms away, one worker with one builder | ${Math.round(blocks / one)} blocks/s | |`,
      `| two workers with one each | ${Math.round(blocks / two)} blocks/s | ${(one / two).toFixed(2)} × (≥ 1.8 ×) |`,
      `| one worker with the ${1 + HISTORY_BUILDERS} builders of a long history | ${Math.round(blocks / asServed)} blocks/s | |`,
    );
  }
  await node.stop();
  const again = await remakeUnderLoad(bench, partitions);
  return [
    '| history of an EVM chain | measured | goal |',
    '|---|---|---|',
    ...rows,
    `| ${partitions} partitions made again, ${CALLERS} callers | ${again.seconds.toFixed(1)} s | |`,
    `| requests meanwhile | ${again.requests} | ${again.failures} failed (0) |`,
    `| slowest of them | ${Math.round(again.slowestMs)} ms | ≤ ${MAX_WAIT_MS} ms |`,
  ].join('\n');
}

/** Seconds. */
async function timeWorkers(
  bench: IndexBench,
  {
    nodeUrl,
    blocks,
    workers,
    builders,
  }: { nodeUrl: string; blocks: number; workers: number; builders: number },
): Promise<number> {
  const { url, dataSource, drop } = await bench.freshDatabase();
  const index = openEvmIndex(nodeUrl, dataSource, { partitionBlocks: Math.ceil(blocks / 16) });
  await advanceUntil(index.tip);
  index.close();
  const moments: z.output<typeof MomentSchema>[] = [];
  const children = await Promise.all(
    Array.from({ length: workers }, (_, i) =>
      startChild({
        folder: bench.folder,
        name: `worker ${i}`,
        entry: 'dist/test-programs/bench/index-evm-worker.js',
        nodeOptions: WORKER_NODE_OPTIONS,
        args: [nodeUrl, url, String(Math.ceil(blocks / 16)), i === 0 ? 'first' : 'helper', String(builders)],
        onMessage: (message) => moments.push(MomentSchema.parse(message)),
      }),
    ),
  );
  const ended = (): number[] => moments.flatMap(({ endedAt }) => endedAt ?? []);
  await poll({
    what: 'history',
    timeoutMs: MAX_DURATION_MS,
    intervalMs: 50,
    ask: () => ended().length === workers || undefined,
  });
  await Promise.all(children.map((child) => child.stop()));
  await drop();
  return (Math.max(...ended()) - Math.min(...moments.flatMap(({ startedAt }) => startedAt ?? []))) / 1_000;
}

async function remakeUnderLoad(bench: IndexBench, partitions: number) {
  const blocks = partitions * PARTITION_BLOCKS;
  bench.log(`${partitions} partitions made again`);
  const { dataSource, drop } = await bench.freshDatabase();
  const node = await startNode(bench, blocks);
  const index = openEvmIndex(node.url, dataSource, { partitionBlocks: PARTITION_BLOCKS });
  await advanceUntil(index.tip);
  await advanceUntil(index.backfill);
  await index.writer.renew(BENCH_CHAIN, BASE, { from: 0n, to: MAX_HEIGHT });
  const stopped = new AbortController();
  const calls = { requests: 0, failures: 0, slowestMs: 0 };
  const callers = Promise.all(
    Array.from({ length: CALLERS }, () => call(dataSource, BigInt(blocks), calls, stopped.signal)),
  );
  const startedAt = performance.now();
  await advanceUntil(index.backfill);
  const seconds = (performance.now() - startedAt) / 1_000;
  stopped.abort();
  await callers;
  index.close();
  await node.stop();
  await drop();
  return { ...calls, seconds };
}

/** Exports and lists in turn, of any account and height. */
async function call(
  dataSource: DataSource,
  blocks: bigint,
  calls: { requests: number; failures: number; slowestMs: number },
  signal: AbortSignal,
): Promise<void> {
  const database = new Database(dataSource);
  while (!signal.aborted) {
    const from = BigInt(Math.floor(Math.random() * Number(blocks)));
    const query = movementQuery({
      chain: BENCH_CHAIN,
      avaxAssetId: undefined,
      addresses: [addressFor(Math.floor(Math.random() * 1_000))],
      fromHeight: from,
      toHeight: from + 200n,
    });
    let startedAt = performance.now();
    try {
      await database.transaction(async (transaction) => {
        startedAt = performance.now(); // without the wait for a connection
        await transaction.set(MOVEMENT_QUERY_SETTINGS);
        await transaction.query({ text: query, values: [] });
      });
    } catch {
      calls.failures += 1;
    }
    calls.requests += 1;
    calls.slowestMs = Math.max(calls.slowestMs, performance.now() - startedAt);
    await delay(PAUSE_MS * 2 * Math.random());
  }
}

function startNode(bench: IndexBench, blocks: number) {
  return startChild({
    folder: bench.folder,
    name: 'evm node',
    entry: 'dist/test-programs/bench/index-evm-node.js',
    args: [String(blocks)],
  });
}
