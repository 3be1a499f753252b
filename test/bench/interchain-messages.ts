import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import { addressFor } from '../../sandbox/generated/evm-block.js';
import { Database } from '../../src/platform/database/database.js';
import { startPostgres } from '../../sandbox/local/postgres-server.js';
import { type EvmChain, MESSENGER } from '../../src/platform/evm-chains/evm-chain.js';
import { insertLogs } from '../../src/indexes/evm/rows/log-rows.js';
import { logSetsOf } from '../../src/indexes/evm/sources/logs/log-sets.js';
import type { WatchedLog } from '../../src/indexes/evm/projections/watched-log.js';
import { ChainChanges } from '../../src/indexes/evm/rows/chain-changes.js';
import { Projector } from '../../src/indexes/evm/projections/projector.js';
import { MessageProjection } from '../../src/resources/interchain-messages/message-projection.js';
import { generatedSender, generateMessages } from '../support/evm/generated-messages.js';
import {
  executedLog,
  type MadeMessage,
  type MessengerChain,
  messengerChain,
  receiptReceivedLog,
  receivedLog,
  sentLog,
} from '../support/evm/messenger-logs.js';
import { makeBenchFolder } from './bench-folder.js';
import { startChild } from './child.js';
import { HttpClient } from './http-client.js';
import { IndexBench } from './index-bench.js';
import { describeMachine } from './machine.js';
import { benchNonceWatch } from './nonce-watch.js';
import { parseNumbers } from './options.js';
import { benchPages, PAGES_HEADER, row } from './pages.js';

/**
 * `npm run bench -- messages`: how fast messages are made of logs on record, what it costs to watch their numbers, and whether a
 * page far behind costs more than the first one.
 */

const USAGE = `Usage: npm run bench -- messages [options]
  --messages N   messages to generate for the lists (10000000, half an hour)
  --projected N  messages to derive from logs (20000)
  --sends N      messages whose numbers are watched (1000000)
  --seconds S    length of a round (1.5)`;
const LOGS_AT_ONCE = 1_000;

const startedAt = Date.now();
const log = (text: string): void =>
  console.error(`[bench ${String(Math.round((Date.now() - startedAt) / 1000)).padStart(3)} s] ${text}`);

const {
  messages: listedMessages,
  projected,
  sends,
  seconds,
} = parseNumbers(USAGE, { messages: 10_000_000, projected: 20_000, sends: 1_000_000, seconds: 1.5 });

const CHAIN: Omit<EvmChain, 'network' | 'chainId' | 'blockchainId'> = {
  name: 'Chain',
  rpcUrls: [],
  startHeight: 0n,
  nativeSymbol: 'AVAX',
  nativeDecimals: 18,
  traces: 'off',
  index: 'logs',
  watch: ['messages'],
  messengers: [MESSENGER],
};

interface Side {
  readonly chain: EvmChain;
  readonly logs: readonly WatchedLog[];
}

/** Sent, credited; delivered, executed. */
function makeSides(count: number): readonly Side[] {
  const [source, destination] = [messengerChain('mainnet', 1n), messengerChain('mainnet', 2n)];
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  const messageOf = (number: number): MadeMessage => ({
    source,
    destination,
    nonce: BigInt(number),
    from: addressFor(number % 1_000),
    to: addressFor(number % 50),
    data: `0x${'5a'.repeat(192)}`,
  });
  const side = (
    { id: _id, ...chain }: MessengerChain,
    logsOf: (message: MadeMessage, height: bigint) => WatchedLog[],
  ): Side => ({
    chain: { ...CHAIN, ...chain },
    logs: numbers.flatMap((number) => logsOf(messageOf(number), BigInt(number))),
  });
  return [
    side(source, (message, height) => [
      sentLog(message, { height }),
      receiptReceivedLog(message, { height, logIndex: 1 }),
    ]),
    side(destination, (message, height) => [
      receivedLog(message, { height }),
      executedLog(message, { height, logIndex: 1 }),
    ]),
  ];
}

async function putOnRecord(database: Database, { chain, logs }: Side): Promise<void> {
  const [set] = logSetsOf(chain);
  if (set === undefined) throw new Error('nothing is watched');
  for (let at = 0; at < logs.length; at += LOGS_AT_ONCE) {
    const some = logs.slice(at, at + LOGS_AT_ONCE);
    await database.transaction((transaction) => insertLogs(transaction, chain, set, some));
  }
}

async function benchProjection(dataSource: DataSource): Promise<string[]> {
  log(`${projected} messages from logs on record`);
  const sides = makeSides(projected);
  const database = new Database(dataSource);
  for (const side of sides) await putOnRecord(database, side);
  const logs = sides.reduce((sum, side) => sum + side.logs.length, 0);
  const run = async (what: string, all: (projectors: readonly Projector[]) => Promise<unknown>) => {
    const projectors = sides.map(
      ({ chain }) => new Projector(chain, database, [new MessageProjection()], new ChainChanges(), 10),
    );
    for (const projector of projectors) await projector.reset();
    await dataSource.query(
      'TRUNCATE icm_sends, icm_deliveries, icm_fees, icm_executions, icm_senders, icm_listings',
    );
    const began = performance.now();
    await all(projectors);
    const took = (performance.now() - began) / 1000;
    return row([what, `${(logs / took).toFixed(0)}/s`, `${(projected / took).toFixed(0)}/s`]);
  };
  return [
    row(['Made of logs on record', 'Logs', 'Messages']),
    row(['---', '---', '---']),
    await run('one chain after the other', async (projectors) => {
      for (const projector of projectors) await advance(projector);
    }),
    await run('both chains at once', (projectors) => Promise.all(projectors.map(advance))),
  ];
}

/** Until no log is left. */
async function advance(projector: Projector): Promise<void> {
  const { signal } = new AbortController();
  for (;;) {
    const { height, tip } = await projector.advance({ durationMs: 0, signal, onProgress: () => undefined });
    if (height === tip) return;
  }
}

async function benchList(dataSource: DataSource, databaseUrl: string, folder: string): Promise<string[]> {
  log(`generating ${listedMessages} messages`);
  await generateMessages(dataSource, listedMessages, log);
  const whale = await generatedSender(dataSource);
  const env = { DATABASE_URL: databaseUrl, LOG_LEVEL: 'warn' };
  const api = await startChild({
    name: 'lists',
    entry: 'dist/test-programs/bench/lists-api.js',
    folder,
    env,
  });
  const client = new HttpClient(api.url);
  try {
    const list = {
      name: 'messages-of-an-address',
      what: 'messages of one address',
      path: `/v1/icm/addresses/0x${whale}/messages?pageSize=10&network=mainnet`,
    };
    return [...PAGES_HEADER, await benchPages(client, { ...list, whale, seconds }, log)];
  } finally {
    client.close();
    await api.stop();
  }
}

const folder = makeBenchFolder();
const postgres = await startPostgres({
  dataDir: join(folder, 'postgres'),
  // The data are made for once; how fast they come to the disk is not what is measured.
  settings: { fsync: 'off', synchronous_commit: 'off', max_wal_size: '8GB', shared_buffers: '512MB' },
});
try {
  const bench = new IndexBench(folder, postgres, log);
  const projection = await bench.freshDatabase();
  const made = await benchProjection(projection.dataSource);
  await projection.drop();
  log(`watching the numbers of ${sends} messages`);
  const watched = await bench.freshDatabase();
  const chain = { ...CHAIN, ...messengerChain('mainnet', 1n) };
  const watch = await benchNonceWatch(watched.dataSource, { chain, sends, seconds });
  await watched.drop();
  const lists = await bench.freshDatabase();
  const listed = await benchList(lists.dataSource, lists.url, folder);
  await lists.drop();
  console.log(
    [
      ...made,
      '',
      ...watch,
      '',
      ...listed,
      '',
      `${listedMessages} messages in the list's tables. ${describeMachine()}.`,
    ].join('\n'),
  );
} finally {
  await postgres.stop();
}
