import type { DataSource } from 'typeorm';
import { EvmClient } from '../../src/avalanche/evm/rpc/evm-client.js';
import { BlockReader } from '../../src/indexes/evm/sources/block-reader.js';
import { type Child, startChild } from './child.js';
import {
  advanceUntil,
  BATCH_BLOCKS,
  BENCH_CLIENT,
  MAX_DURATION_MS,
  NO_RULES,
  openEvmIndex,
} from './evm-index-on-bench.js';
import type { IndexBench } from './index-bench.js';
import { median } from './measure.js';

const ROUNDS = 3;

interface Round {
  readonly rpcMs: number;
  readonly indexMs: number;
}

/** How much longer a chain takes into Postgres than its blocks take to be fetched and parsed, in rounds of both. */
export async function benchEvmChain(bench: IndexBench, blocks: number): Promise<string> {
  bench.log(`making ${blocks} EVM blocks`);
  const entry = 'dist/test-programs/bench/index-evm-node.js';
  const node = await startChild({ folder: bench.folder, name: 'evm node', entry, args: [String(blocks)] });
  const rounds: Round[] = [];
  let counts = { transactions: 0, transfers: 0, bytes: 0 };
  await measureRpc(node, blocks); // lets the compiler know the code
  for (let round = 1; round <= ROUNDS; round++) {
    bench.log(`EVM chain, round ${round} of ${ROUNDS}`);
    const rpcMs = await measureRpc(node, blocks);
    const { dataSource, drop } = await bench.freshDatabase();
    const indexMs = await measureIndex(node, dataSource);
    counts = await count(dataSource);
    if (round === ROUNDS) {
      bench.log(`bytes per transaction:\n${await sizes(dataSource, counts.transactions)}`);
    }
    await drop();
    rounds.push({ rpcMs, indexMs });
  }
  await node.stop();
  return report(blocks, rounds, counts);
}

/** The same batches, read and parsed, and nothing done with them. */
async function measureRpc({ url }: Child, blocks: number): Promise<number> {
  const client = EvmClient.connect({ urls: [url], ...BENCH_CLIENT });
  const reader = new BlockReader({ readNew: () => Promise.resolve([]) }, NO_RULES, BATCH_BLOCKS);
  const range = { from: 0n, to: BigInt(blocks - 1) };
  const links = { lastHash: undefined, parent: undefined };
  const limits = { until: performance.now() + MAX_DURATION_MS, signal: new AbortController().signal };
  const startedAt = performance.now();
  let read = 0;
  for await (const batch of reader.downwards(client, range, links, limits)) read += batch.blocks.length;
  if (read !== blocks) throw new Error(`read ${read} of ${blocks} blocks`);
  client.close();
  return performance.now() - startedAt;
}

/** All blocks below the tip, as they are filled in, and what exports find their rows by. */
async function measureIndex({ url }: Child, dataSource: DataSource): Promise<number> {
  const index = openEvmIndex(url, dataSource);
  await advanceUntil(index.tip);
  const startedAt = performance.now();
  await advanceUntil(index.backfill);
  const tookMs = performance.now() - startedAt;
  index.close();
  return tookMs;
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

/** Of each table of a partition and each of its indexes. */
async function sizes(dataSource: DataSource, transactions: number): Promise<string> {
  const rows = await dataSource.query<{ name: string; bytes: string }[]>(
    `SELECT tree.relid::regclass || COALESCE(' ' || substr(pg_get_indexdef(i.indexrelid), strpos(pg_get_indexdef(i.indexrelid), 'USING')), '') AS name,
       pg_relation_size(COALESCE(i.indexrelid, tree.relid)) AS bytes
       FROM unnest('{evm_blocks,evm_transactions,evm_transfers}'::regclass[]) AS root, pg_partition_tree(root) AS tree
       CROSS JOIN LATERAL (SELECT indexrelid FROM pg_index WHERE indrelid = tree.relid UNION ALL SELECT NULL) AS i
      WHERE tree.isleaf AND pg_relation_size(COALESCE(i.indexrelid, tree.relid)) > 100000 ORDER BY 1`,
  );
  return rows.map(({ name, bytes }) => `${(Number(bytes) / transactions).toFixed(1)}  ${name}`).join('\n');
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
