import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { z } from 'zod';
import { poll } from '../../sandbox/local/processes/poll.js';
import { evmChainOf, generateEvmChain } from '../../sandbox/generated/evm-chain-generator.js';
import { defaultCChainRecording } from '../../sandbox/evm-chains/default-recordings.js';
import { startSandbox } from '../../sandbox/sandbox.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { idToString } from '../../src/avalanche/ids/id.js';
import { describeMachine, processorMsOf } from './machine.js';
import { parseNumbers } from './options.js';
import { format, row } from './report.js';
import { TestBed } from './test-bed.js';

/** `npm run bench -- idle`: what L1s on which nothing happens cost one worker and Postgres, beside the same worker without them. */

const USAGE = `Usage: npm run bench -- idle [options]
  --chains N   L1s (40)
  --settle S   before it is counted (70: until what an index does at its start is over, and chains count as quiet)
  --seconds S  for so long is counted (60: longer than each index works until it starts anew)
  --listed N   of the most frequent statements, in the log (0)`;
const {
  chains: chainCount,
  settle,
  seconds,
  listed,
} = parseNumbers(USAGE, { chains: 40, settle: 70, seconds: 60, listed: 0.1 });

const BLOCKS = 20;
const FIRST_CHAIN_ID = 70_001;
const READY_TIMEOUT_MS = 180_000;

const log = (text: string): void => console.error(`[bench] ${text}`);

const CountsSchema = z.record(z.string(), z.number());
type Counts = z.infer<typeof CountsSchema>;

interface Cost {
  readonly indexes: number;
  readonly statementsPerSecond: number;
  /** Of one core. */
  readonly share: number;
}

const chains = Array.from({ length: chainCount }, (_, index) => {
  const chainId = BigInt(FIRST_CHAIN_ID + index);
  return { chainId, blockchainId: idToString(sha256(Buffer.from(chainId.toString()))) };
});

function writeChains(folder: string, url: string, some: typeof chains): string {
  const file = join(folder, `chains-${some.length}.json`);
  const described = some.map(({ chainId, blockchainId }) => ({
    network: 'sandbox',
    chainId: chainId.toString(),
    blockchainId,
    name: `L1 ${chainId}`,
    rpcUrls: [`${url}/ext/bc/${blockchainId}/rpc`],
    startHeight: '1',
    nativeSymbol: 'COIN',
    nativeDecimals: 18,
  }));
  writeFileSync(file, JSON.stringify({ chains: described }));
  return file;
}

async function countIdle(databaseUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ count: number }>(
      "SELECT count(*)::int AS count FROM index_progress WHERE state = 'running' AND eta_seconds = 0 AND blocks_per_second = 0",
    );
    return rows[0]?.count ?? 0;
  } finally {
    await client.end();
  }
}

async function measureIdle(bed: TestBed, url: string, some: typeof chains): Promise<Cost> {
  const databaseUrl = await bed.createDatabase(`idle_${some.length}`);
  const env = {
    EVM_CHAINS_FILE: writeChains(bed.folder, url, some),
    WORKER_QUEUES: 'indexing',
    LOG_LEVEL: 'warn',
  };
  const worker = await bed.startCountedWorker(url, { databaseUrl, env });
  // The P- and X-chain; of each L1 its tip, blocks, traces, two sets of logs, and what is made of them.
  const indexes = 2 + 6 * some.length;
  await poll({
    what: 'all indexes at their tips',
    timeoutMs: READY_TIMEOUT_MS,
    intervalMs: 500,
    ask: async () => ((await countIdle(databaseUrl)) >= indexes ? true : undefined),
  });
  await delay(settle * 1000);
  const read = async (): Promise<Counts> => CountsSchema.parse(await (await fetch(worker.url)).json());
  const [before, cpuBefore, startedAt] = [await read(), processorMsOf(worker.pid), performance.now()];
  await delay(seconds * 1000);
  const [after, cpuAfter, tookMs] = [await read(), processorMsOf(worker.pid), performance.now() - startedAt];
  const texts = Object.entries(after).map(([text, count]) => ({ text, count: count - (before[text] ?? 0) }));
  for (const { text, count } of texts.toSorted((a, b) => b.count - a.count).slice(0, listed)) {
    log(`${((count * 1000) / tookMs).toFixed(1)}/s ${text.replaceAll(/\s+/g, ' ').slice(0, 100)}`);
  }
  await bed.stopChild(worker);
  const statements = texts.reduce((sum, { count }) => sum + count, 0);
  return {
    indexes,
    statementsPerSecond: (statements * 1000) / tookMs,
    share: (cpuAfter - cpuBefore) / tookMs,
  };
}

const bed = await TestBed.start(log);
const sandbox = await startSandbox({
  validators: 1,
  evmRecordings: [
    defaultCChainRecording(),
    ...chains.map((chain, seed) =>
      evmChainOf({ ...chain, blocks: generateEvmChain({ blocks: BLOCKS, seed }) }),
    ),
  ],
});
try {
  log(`${chainCount} L1s`);
  const ours = await measureIdle(bed, sandbox.url, chains);
  log('none');
  const none = await measureIdle(bed, sandbox.url, []);
  const line = (what: string, { indexes, statementsPerSecond, share }: Cost): string =>
    row([what, String(indexes), `${format(statementsPerSecond)}/s`, `${format(share * 100)} %`]);
  console.log(
    [
      row(['One worker', 'Indexes', 'SQL statements', 'Of a core']),
      row(['---', '---', '---', '---']),
      line(`${chainCount} idle L1s`, ours),
      line('none', none),
      line('difference', {
        indexes: ours.indexes - none.indexes,
        statementsPerSecond: ours.statementsPerSecond - none.statementsPerSecond,
        share: ours.share - none.share,
      }),
      '',
      `${describeMachine()}.`,
    ].join('\n'),
  );
} finally {
  await bed.stop();
  await sandbox.stop();
}
