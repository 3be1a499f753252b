import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { startPostgres } from '../../sandbox/local/postgres-server.js';
import { dataSourceOptions } from '../../src/platform/database/data-source.js';
import { ENTITIES } from '../support/entities.js';
import { RpcError } from '../../src/avalanche/rpc/rpc.error.js';
import { addDays } from '../../src/exports/turns/days.js';
import { GENERATED_CHAIN } from '../support/evm/generated-evm.js';
import { ACCOUNT, changesOf, FIRST_DAY } from './archive-shape.js';
import { startChild } from './child.js';
import { makeExporter } from './exporter-on-bench.js';
import { IndexBench } from './index-bench.js';
import { describeMachine } from './machine.js';
import { parseNumbers } from './options.js';
import { row } from './report.js';

/** `npm run bench -- search`: an export of a year that nobody has indexed, from an archive node alone. */

const USAGE = `Usage: npm run bench -- search [options]
  --blocks N            of the year (30000000)
  --changes N           blocks that change the account (1000)
  --call-ms N           what the node takes for each call (5)
  --calls-per-second N  what it answers, in batches of at most 40; above, as many as it gets (1000000)`;
const {
  blocks,
  changes,
  'call-ms': callMs,
  'calls-per-second': callsPerSecond,
} = parseNumbers(USAGE, {
  blocks: 30_000_000,
  changes: 1_000,
  'call-ms': 5,
  'calls-per-second': 1_000_000,
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

const folder = mkdtempSync(join(tmpdir(), 'nds-bench-'));
chmodSync(folder, 0o755); // Postgres runs as another user when this is root
const postgres = await startPostgres({
  dataDir: join(folder, 'postgres'),
  settings: { fsync: 'off', synchronous_commit: 'off' },
});
const limit = callsPerSecond >= UNLIMITED ? 0 : callsPerSecond;
const node = await startChild({
  folder,
  name: 'archive node',
  entry: 'dist/test-programs/bench/archive-node.js',
  args: [blocks, changes, callMs, limit].map(String),
});
try {
  const { url, drop } = await new IndexBench(folder, postgres, log).freshDatabase();
  const dataSource = await new DataSource(
    dataSourceOptions({ url, poolSize: 4, entities: ENTITIES }),
  ).initialize();
  const exporter = makeExporter(dataSource, folder, node.url);
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
  const estimates: { readonly at: number; readonly left: number }[] = [];
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
  const counts = CountsSchema.parse(await (await fetch(`${node.url}/counts`)).json());
  const stateCalls = (counts['eth_getBalance'] ?? 0) + (counts['eth_getTransactionCount'] ?? 0);
  const all = Object.entries(counts).reduce(
    (sum, [name, count]) => sum + (name === 'refused' ? 0 : count),
    0,
  );
  const ratios = estimates
    .filter(({ at }) => at > 0.1 * seconds && at < 0.9 * seconds)
    .map(({ at, left }) => left / (seconds - at));
  const number = (value: number): string => Math.round(value).toLocaleString('en');
  console.log(
    [
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
      '',
      describeMachine(),
    ].join('\n'),
  );
  await dataSource.destroy();
  await drop();
} finally {
  await node.stop();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
