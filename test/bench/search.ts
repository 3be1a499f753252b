import { createHash, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { startPostgres } from '../../sandbox/local/postgres-server.js';
import { dataSourceOptions } from '../../src/platform/database/data-source.js';
import { ENTITIES } from '../support/entities.js';
import { RpcError } from '../../src/avalanche/rpc/rpc.error.js';
import { FolderStorage } from '../../src/exports/storage/folder-storage.js';
import { expand } from '../../src/exports/storage/gzip-stream.js';
import { addDays } from '../../src/exports/turns/days.js';
import { GENERATED_CHAIN } from '../support/evm/generated-evm.js';
import { makeBenchFolder } from './bench-folder.js';
import { ACCOUNT, changesOf, FIRST_DAY } from './archive-shape.js';
import { type Child, startChild } from './child.js';
import { advanceUntil, openEvmIndex } from './evm-index-on-bench.js';
import { exportFolderIn, makeExporter } from './exporter-on-bench.js';
import { IndexBench } from './index-bench.js';
import { describeMachine } from './machine.js';
import { parseNumbers } from './options.js';
import { row } from './report.js';

/**
 * `npm run bench -- search`: an export of a year that nobody has indexed, from an archive node alone; and, where that is wanted, the same
 * from an index of all of its blocks.
 */

const USAGE = `Usage: npm run bench -- search [options]
  --blocks N            of the year (30000000)
  --changes N           blocks that change the account (1000)
  --call-ms N           what the node takes for each call (5)
  --calls-per-second N  what it answers, in batches of at most 40; above, as many as it gets (1000000)
  --compare 1           index the chain, too, and compare the two files (0; a million blocks take some minutes)`;
const {
  blocks,
  changes,
  'call-ms': callMs,
  'calls-per-second': callsPerSecond,
  compare,
} = parseNumbers(USAGE, {
  blocks: 30_000_000,
  changes: 1_000,
  'call-ms': 5,
  'calls-per-second': 1_000_000,
  compare: 0,
});
const UNLIMITED = 1_000_000;
const TURN_MS = 10_000;
const DAYS = 365;
const RETRY_MS = 1_000;
/** At the least, the halvings of each change's share of the blocks (the least is log2 of that), and one for each of its neighbours. */
const STATES_PER_CHANGE = Math.log2(blocks / changes) + 1.3;

const log = (text: string): void => console.error(`[bench] ${text}`);
const CountsSchema = z.record(z.string(), z.number());

async function untilAnswered<T>(turn: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await turn();
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      log(error.message);
      await delay(error.facts.retryAfterMs ?? RETRY_MS);
    }
  }
}

interface SearchedYear {
  readonly rows: number;
  readonly sha256: string;
  readonly seconds: number;
  /** Seconds after the beginning, and how many more there would be. */
  readonly estimates: readonly { readonly at: number; readonly left: number }[];
}

/** Of a node of its own, which takes so long for each call. */
async function withNode<T>(
  { callMs: delayMs, limit }: { callMs: number; limit: number },
  work: (node: Child) => Promise<T>,
): Promise<T> {
  const node = await startChild({
    folder,
    name: 'archive node',
    entry: 'dist/test-programs/bench/archive-node.js',
    args: [blocks, changes, delayMs, limit].map(String),
  });
  try {
    return await work(node);
  } finally {
    await node.stop();
  }
}

/** Over tables of its own, which nobody else needs afterwards. */
async function withTables<T>(work: (dataSource: DataSource) => Promise<T>): Promise<T> {
  const { url, drop } = await bench.freshDatabase();
  const options = dataSourceOptions({ url, poolSize: 4, entities: ENTITIES });
  const dataSource = await new DataSource(options).initialize();
  try {
    return await work(dataSource);
  } finally {
    await dataSource.destroy();
    await drop();
  }
}

async function exportYear(dataSource: DataSource, nodeUrl: string): Promise<SearchedYear> {
  const exporter = makeExporter(dataSource, folder, nodeUrl);
  const input = {
    operationId: randomUUID(),
    request: {
      type: 'TRANSACTION_EXPORT_EVM' as const,
      addresses: [ACCOUNT],
      signers: [],
      chainIds: [GENERATED_CHAIN.chainId.toString()],
      firstDate: FIRST_DAY,
      lastDate: addDays(FIRST_DAY, DAYS - 1),
      timeZone: 'UTC',
      format: 'standard' as const,
    },
    limits: { maxRows: Number.MAX_SAFE_INTEGER, maxNodeCalls: Number.MAX_SAFE_INTEGER },
    durationMs: TURN_MS,
  };
  const beganAt = performance.now();
  const elapsed = (): number => (performance.now() - beganAt) / 1_000;
  const estimates: { at: number; left: number }[] = [];
  let rows = 0;
  for (let state = 'more'; state === 'more';) {
    // As the workflow does it: what passes is waited for.
    const progress = await untilAnswered(() =>
      exporter.exportTurn(input, {
        signal: new AbortController().signal,
        onProgress: ({ percentage }) => {
          if (percentage >= 1) {
            estimates.push({ at: elapsed(), left: (elapsed() * (100 - percentage)) / percentage });
          }
        },
      }),
    );
    ({ state, rows } = progress);
    log(`${Math.round(elapsed())} s: ${progress.percentage} %, ${rows} rows; ${progress.notes.join('; ')}`);
  }
  const seconds = elapsed();
  // Each sent one is an amount and a fee.
  const expected = changesOf(blocks, changes).reduce((sum, { isSent }) => sum + (isSent ? 2 : 1), 0);
  if (rows !== expected) throw new Error(`${rows} rows instead of ${expected}`);
  return { rows, sha256: await digestOf(dataSource, input.operationId), seconds, estimates };
}

/** Of the whole file, as a download puts it together. */
async function digestOf(dataSource: DataSource, operationId: string): Promise<string> {
  const parts = await dataSource.query<{ key: string; stored: string }[]>(
    `SELECT storage_key AS key, stored_bytes AS stored FROM export_parts
      WHERE operation_id = $1 AND storage_key IS NOT NULL ORDER BY part`,
    [operationId],
  );
  const storage = new FolderStorage(exportFolderIn(folder));
  const hash = createHash('sha256');
  for (const { key, stored } of parts) {
    const range = { start: 0, end: Number(stored) - 1 };
    for await (const rows of expand(storage.read(key, range))) hash.update(rows);
  }
  return hash.digest('hex');
}

/** The same year from the tables, once every one of its blocks has been read. */
async function exportIndexed(): Promise<SearchedYear> {
  return withNode({ callMs: 0, limit: 0 }, ({ url }) =>
    withTables(async (dataSource) => {
      log(`indexing ${blocks} blocks`);
      const index = openEvmIndex(url, dataSource);
      await advanceUntil(index.tip);
      await advanceUntil(index.backfill);
      index.close();
      return exportYear(dataSource, url);
    }),
  );
}

function describeSearch(
  counts: z.infer<typeof CountsSchema>,
  { seconds, estimates }: SearchedYear,
): string[] {
  const stateCalls = (counts['eth_getBalance'] ?? 0) + (counts['eth_getTransactionCount'] ?? 0);
  const all = Object.entries(counts).reduce(
    (sum, [name, count]) => sum + (name === 'refused' ? 0 : count),
    0,
  );
  const ratios = estimates
    .filter(({ at }) => at > 0.1 * seconds && at < 0.9 * seconds)
    .map(({ at, left }) => left / (seconds - at));
  return [
    row([`${number(changes)} changes in ${number(blocks)} blocks`, '']),
    row(['---', '---']),
    row(['time', `${seconds.toFixed(1)} s`]),
    row(['calls for states', `${number(stateCalls)} (calculated: ${number(changes * STATES_PER_CHANGE)})`]),
    row(['all calls', number(all)]),
    row(['refused requests', number(counts['refused'] ?? 0)]),
    row([
      'time left as estimated after 10 % to 90 % of it',
      `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)} × what it was`,
    ]),
  ];
}

const number = (value: number): string => Math.round(value).toLocaleString('en');

const folder = makeBenchFolder();
const postgres = await startPostgres({
  dataDir: join(folder, 'postgres'),
  settings: { fsync: 'off', synchronous_commit: 'off' },
});
const bench = new IndexBench(folder, postgres, log);
const limit = callsPerSecond >= UNLIMITED ? 0 : callsPerSecond;
try {
  const { year, counts } = await withNode({ callMs, limit }, ({ url }) =>
    withTables(async (dataSource) => ({
      year: await exportYear(dataSource, url),
      counts: CountsSchema.parse(await (await fetch(`${url}/counts`)).json()),
    })),
  );
  const lines = describeSearch(counts, year);
  if (compare > 0) {
    const indexed = await exportIndexed();
    if (indexed.sha256 !== year.sha256) throw new Error('the index gives another file');
    lines.push(row(['the same file from an index', `${number(indexed.rows)} rows, ${indexed.sha256}`]));
  }
  console.log([...lines, '', describeMachine()].join('\n'));
} finally {
  await postgres.stop();
}
