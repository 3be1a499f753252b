import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { DataSource } from 'typeorm';
import type { Address } from '../../src/avalanche/evm/rpc/hex-values.js';
import { dataSourceOptions, runMigrations } from '../../src/platform/database/data-source.js';
import { startPostgres } from '../../sandbox/local/postgres-server.js';
import { addDays, startOf } from '../../src/exports/turns/days.js';
import { MOVEMENT_QUERY_SETTINGS, movementQuery } from '../../src/exports/rows/movement-query.js';
import type { TransactionExporter } from '../../src/exports/transaction-exporter.js';
import {
  GENERATED_CHAIN,
  GENERATED_FIRST_DAY,
  generatedAddresses,
  generateEvm,
  transactionsFor,
} from '../support/evm/generated-evm.js';
import { makeBenchFolder } from './bench-folder.js';
import { startChild } from './child.js';
import { makeExporter } from './exporter-on-bench.js';
import { benchDownloads, type FinishedExport } from './downloads.js';
import { describeMachine } from './machine.js';
import { median } from './measure.js';
import { parseNumbers } from './options.js';
import { ENTITIES } from '../support/entities.js';

/** `npm run bench -- export`: what the service adds to Postgres' own COPY, whether its memory depends on the number of rows, and downloads. */

const USAGE = `Usage: npm run bench -- export [options]
  --rows N    rows of the address that is exported; there are as many of others (10000000)
  --rounds N  rounds, of which the median is reported (3; takes about half an hour)`;
const DAYS = 30;
/** The shares of the days that are exported. */
const SHARES = [0.1, 1];
const TURN_MS = 10_000;
const MEMORY_INTERVAL_MS = 50;

const startedAt = Date.now();
const log = (text: string): void =>
  console.error(`[bench ${String(Math.round((Date.now() - startedAt) / 1000)).padStart(3)} s] ${text}`);

interface Run {
  readonly rows: number;
  readonly bytes: number;
  readonly elapsedMs: number;
}

type ExportRun = Run & FinishedExport;

const { rows: wantedRows, rounds } = parseNumbers(USAGE, { rows: 10_000_000, rounds: 3 });

async function runService(
  exporter: TransactionExporter,
  address: Address,
  lastDate: string,
): Promise<ExportRun> {
  const began = performance.now();
  const operationId = randomUUID();
  const input = {
    operationId,
    request: {
      type: 'TRANSACTION_EXPORT_EVM' as const,
      addresses: [address],
      signers: [],
      chainIds: [GENERATED_CHAIN.chainId.toString()],
      firstDate: GENERATED_FIRST_DAY,
      lastDate,
      timeZone: 'UTC',
      format: 'standard' as const,
    },
    limits: { maxRows: Number.MAX_SAFE_INTEGER, maxNodeCalls: Number.MAX_SAFE_INTEGER },
    durationMs: TURN_MS,
  };
  for (;;) {
    const { signal } = new AbortController();
    const { state, rows, bytes } = await exporter.exportTurn(input, { signal, onProgress: () => undefined });
    if (state !== 'more') return { operationId, rows, bytes, elapsedMs: performance.now() - began };
  }
}

/** The same rows by one COPY, whose bytes are counted and dropped. */
async function runCopy(url: string, address: Address, toHeight: bigint): Promise<Run> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const [name, value] of Object.entries(MOVEMENT_QUERY_SETTINGS)) {
      await client.query('SELECT set_config($1, $2, false)', [name, value]);
    }
    const began = performance.now();
    const chain = { ...GENERATED_CHAIN, name: 'C-Chain', nativeSymbol: 'AVAX', nativeDecimals: 18 };
    const query = movementQuery({
      chain,
      avaxAssetId: undefined,
      addresses: [address],
      fromHeight: 0n,
      toHeight,
    });
    const stream = client.query(copyTo(`COPY (${query}) TO STDOUT (FORMAT csv)`));
    let bytes = 0;
    stream.on('data', (chunk: Buffer) => (bytes += chunk.length));
    await new Promise((resolve, reject) => stream.once('end', resolve).once('error', reject));
    // The number of rows comes behind the last of them.
    await client.query('SELECT 1');
    return { rows: stream.rowCount, bytes, elapsedMs: performance.now() - began };
  } finally {
    await client.end();
  }
}

/** Most memory that the process had while the work went on. */
async function withPeak<T>(work: () => Promise<T>): Promise<{ result: T; peakBytes: number }> {
  let peakBytes = process.memoryUsage.rss();
  const timer = setInterval(
    () => (peakBytes = Math.max(peakBytes, process.memoryUsage.rss())),
    MEMORY_INTERVAL_MS,
  );
  try {
    return { result: await work(), peakBytes };
  } finally {
    clearInterval(timer);
  }
}

const perSecond = ({ rows, elapsedMs }: Run): number => (rows * 1000) / elapsedMs;
const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
const megabytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MB`;

async function bench(
  exporter: TransactionExporter,
  dataSource: DataSource,
  address: Address,
  share: number,
): Promise<{ line: string; file: FinishedExport | undefined }> {
  const days = DAYS * share;
  const lastDate = addDays(GENERATED_FIRST_DAY, days - 1);
  const [last] = await dataSource.query<{ height: string }[]>(
    'SELECT max(height) AS height FROM evm_blocks WHERE block_time < $1',
    [startOf(addDays(lastDate, 1))],
  );
  const toHeight = BigInt(last?.height ?? 0);
  const service: ExportRun[] = [];
  const copy: Run[] = [];
  const peaks: number[] = [];
  // The first one does not count: a worker that has just started has to compile what it runs.
  for (let round = 0; round <= rounds; round += 1) {
    const { result, peakBytes } = await withPeak(() => runService(exporter, address, lastDate));
    const reference = await runCopy(postgres.url, address, toHeight);
    if (result.rows !== reference.rows) throw new Error(`${result.rows} rows instead of ${reference.rows}`);
    if (round === 0) continue;
    service.push(result);
    peaks.push(peakBytes);
    copy.push(reference);
    log(`${days} days, round ${round}: ${result.rows} rows`);
  }
  const ratios = service.map((run, round) => perSecond(run) / perSecond(copy[round] ?? run));
  const [example] = service;
  const line = row([
    (example?.rows ?? 0).toLocaleString('en'),
    megabytes(example?.bytes ?? 0),
    `${Math.round(median(service.map(perSecond))).toLocaleString('en')}/s`,
    `${Math.round(median(copy.map(perSecond))).toLocaleString('en')}/s`,
    `${median(ratios).toFixed(2)} ×`,
    megabytes(Math.max(...peaks)),
  ]);
  return { line, file: service.at(-1) };
}

const folder = makeBenchFolder();
const postgres = await startPostgres({
  dataDir: join(folder, 'postgres'),
  // The data are made for once; how fast they come to the disk is not what is measured.
  settings: { fsync: 'off', synchronous_commit: 'off', max_wal_size: '8GB', shared_buffers: '512MB' },
});
// All is indexed: it is asked for what the accounts have at both ends.
const node = await startChild({
  folder,
  name: 'archive node',
  entry: 'dist/test-programs/bench/archive-node.js',
  args: ['100000000', '1', '5', '0'],
});
try {
  const dataSource = await new DataSource(
    dataSourceOptions({ url: postgres.url, poolSize: 4, entities: ENTITIES }),
  ).initialize();
  try {
    await runMigrations(dataSource);
    const transactions = transactionsFor(wantedRows);
    log(`generating ${transactions} transactions`);
    await generateEvm(dataSource, { transactions, days: DAYS }, log);
    const { whale } = await generatedAddresses(dataSource);
    const exporter = makeExporter(dataSource, folder, node.url);
    const lines: string[] = [];
    let file: FinishedExport | undefined;
    for (const share of SHARES) {
      const outcome = await bench(exporter, dataSource, whale, share);
      lines.push(outcome.line);
      file = outcome.file;
    }
    const downloads =
      file === undefined
        ? []
        : await benchDownloads({ dataSource, databaseUrl: postgres.url, folder, rounds, log }, file);
    console.log(
      [
        row([
          'Rows',
          'File',
          'Service',
          'One plain COPY',
          'Service / COPY, goal ≥ 0.95',
          'Most memory of the process',
        ]),
        row(Array.from({ length: 6 }, () => '---')),
        ...lines,
        '',
        ...downloads,
        '',
        `One address among ${transactions.toLocaleString('en')} transactions with a token transfer each. ${describeMachine()}.`,
      ].join('\n'),
    );
  } finally {
    await dataSource.destroy();
  }
} finally {
  await node.stop();
  await postgres.stop();
}
