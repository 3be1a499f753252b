import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { poll } from '../../sandbox/local/processes/poll.js';
import { AGGREGATED_SIGNATURES_CHANNEL } from '../../src/resources/signature-aggregator/store/signature.repository.js';
import { SendingChain } from '../support/evm/sending-chain.js';
import { HttpClient } from './http-client.js';
import { connected } from './internet.js';
import { describeMachine } from './machine.js';
import { measure, percentile, summarise, type Summary } from './measure.js';
import { blockHashRequests } from './messages.js';
import { parseNumbers } from './options.js';
import { format, row } from './report.js';
import { ServiceClient } from './service-client.js';
import { TestBed } from './test-bed.js';

/**
 * `npm run bench -- on-sight`: from the moment at which an interchain message can be seen to its signed form in Postgres, without anybody
 * asking for it; then what a caller notices of a contract that sends messages without end.
 */

const USAGE = `Usage: npm run bench -- on-sight [options]
  --validators N  on the internet of the sandbox (930)
  --warm-up N     messages before those (10)
  --messages N    one after the other (100)
  --pause-ms N    between two of them (1000)
  --seconds S     of a caller without and beside the flood (30)
  --flood N       messages in each of its blocks, one block a second (300)`;
const options = parseNumbers(USAGE, {
  validators: 930,
  'warm-up': 10,
  messages: 100,
  'pause-ms': 1_000,
  seconds: 30,
  flood: 300,
});

const GOAL_MS = 500;
const GOAL_RATIO = 1.5;
const STAKE = 0.85;
const TIMEOUT_MS = 300_000;
const BLOCK_MS = 1_000;
const INDEXED_CHANNEL = 'bench_indexed';

/** When each step of one message was over; the clock is this process's. */
interface Course {
  readonly sentAtMs: number;
  servedAtMs: number;
  indexedAtMs: number;
  storedAtMs: number;
}

const log = (text: string): void => console.error(`[bench] ${text}`);

/** Postgres notifies at the commit of the log, as it does at that of the result. */
async function watch(databaseUrl: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(`
    CREATE FUNCTION bench_note() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN PERFORM pg_notify('${INDEXED_CHANNEL}', ''); RETURN NULL; END $$;
    CREATE TRIGGER bench_note AFTER INSERT ON evm_logs FOR EACH STATEMENT EXECUTE FUNCTION bench_note();
    LISTEN ${INDEXED_CHANNEL}; LISTEN ${AGGREGATED_SIGNATURES_CHANNEL}`);
  return client;
}

async function sendOne(chain: SendingChain, client: pg.Client): Promise<Course> {
  const course: Course = { sentAtMs: performance.now(), servedAtMs: NaN, indexedAtMs: NaN, storedAtMs: NaN };
  const { cChain } = chain.sandbox;
  const height = cChain.recording.blocks.length;
  const serve = cChain.at.bind(cChain);
  cChain.at = (asked) => {
    if (asked === height && Number.isNaN(course.servedAtMs)) course.servedAtMs = performance.now();
    return serve(asked);
  };
  const note = ({ channel }: pg.Notification): void => {
    if (channel === AGGREGATED_SIGNATURES_CHANNEL) course.storedAtMs = performance.now();
    else if (Number.isNaN(course.indexedAtMs)) course.indexedAtMs = performance.now();
  };
  client.on('notification', note);
  try {
    chain.send();
    await poll({
      what: 'a signed message',
      timeoutMs: TIMEOUT_MS,
      intervalMs: 5,
      ask: () => (Number.isNaN(course.storedAtMs) ? undefined : true),
    });
    return course;
  } finally {
    cChain.at = serve;
    client.off('notification', note);
  }
}

async function sendAll(chain: SendingChain, client: pg.Client): Promise<Course[]> {
  for (let i = 0; i < options['warm-up']; i++) await sendOne(chain, client);
  const courses: Course[] = [];
  for (let i = 0; i < options.messages; i++) {
    courses.push(await sendOne(chain, client));
    // At no fixed place between two looks at the chain's tip.
    await delay(options['pause-ms'] * (0.5 + Math.random()));
  }
  return courses;
}

function describeCourses(courses: readonly Course[]): string[] {
  const line = (what: string, of: (course: Course) => number, goal = ''): string => {
    const times = courses.map(of);
    return row([what, ...[50, 95, 99].map((percent) => `${format(percentile(times, percent))} ms`), goal]);
  };
  return [
    row(['Signed on sight', 'p50', 'p95', 'p99', 'Goal']),
    row(['---', '---', '---', '---', '---']),
    line('sent → stored', ({ sentAtMs, storedAtMs }) => storedAtMs - sentAtMs),
    line(
      'served by the node → stored',
      ({ servedAtMs, storedAtMs }) => storedAtMs - servedAtMs,
      `p95 ≤ ${GOAL_MS} ms`,
    ),
    line('indexed → stored', ({ indexedAtMs, storedAtMs }) => storedAtMs - indexedAtMs),
  ];
}

/** A caller's, one after the other. */
async function measureCaller(serviceUrl: string): Promise<Summary> {
  const client = new ServiceClient(serviceUrl);
  const newRequest = await blockHashRequests(chain.sandbox.url);
  const call = () => client.aggregate(newRequest());
  const sample = await measure({ forMs: options.seconds * 1_000, call });
  client.close();
  return summarise([sample]);
}

async function besideFlood(serviceUrl: string): Promise<Summary> {
  const sending = setInterval(() => chain.sendMany(options.flood), BLOCK_MS);
  const answers = await measureCaller(serviceUrl);
  clearInterval(sending);
  return answers;
}

function describeFlood(quiet: Summary, indexed: Summary, signed: Summary): string[] {
  const line = (what: string, { p50Ms, p95Ms }: Summary, ratio = '', goal = ''): string =>
    row([what, `${format(p50Ms)} ms`, `${format(p95Ms)} ms`, ratio, goal]);
  const ratio = `${format(signed.p50Ms / indexed.p50Ms)} × the line before`;
  const flood = `${options.flood} messages a second`;
  return [
    row(['A caller', 'p50', 'p95', '', 'Goal']),
    row(['---', '---', '---', '---', '---']),
    line('alone', quiet),
    line(`beside ${flood} that are indexed alone`, indexed),
    line(`beside ${flood} that are to be signed on sight`, signed, ratio, `≤ ${GOAL_RATIO} ×`),
  ];
}

const bed = await TestBed.start(log);
log(`${options.validators} validators on the internet: starting the sandbox`);
const chain = await SendingChain.start({ validators: options.validators, internet: true, to: 'itself' });
try {
  chain.sandbox.beginEpoch();
  const nodeUrl = chain.sandbox.url;
  const databaseUrl = await bed.createDatabase('on_sight');
  const envFor = (signOnSight: boolean) => ({
    EVM_CHAINS_FILE: chain.writeChainsFile(bed.folder, { network: 'sandbox', signOnSight }),
    WORKER_QUEUES: 'indexing',
    LOG_LEVEL: 'warn',
  });
  const service = await bed.startService(nodeUrl, { databaseUrl, env: envFor(true) });
  const worker = await bed.startWorker(nodeUrl, { databaseUrl, env: envFor(true) });
  const sandbox = new HttpClient(nodeUrl);
  await connected(sandbox, (share) => share >= STAKE);
  sandbox.close();
  const client = await watch(databaseUrl);
  log(`${options.messages} messages`);
  const courses = await sendAll(chain, client).finally(() => client.end());
  log('a caller, then the flood beside him');
  const quiet = await measureCaller(service.url);
  const signed = await besideFlood(service.url);
  await bed.stopChild(worker);
  // It has read the file when it is ready.
  await bed.startWorker(nodeUrl, { databaseUrl, env: envFor(false) });
  log('the same without signatures');
  const indexed = await besideFlood(service.url);
  console.log(
    [
      ...describeCourses(courses),
      '',
      ...describeFlood(quiet, indexed, signed),
      '',
      `Measured on ${describeMachine()}.`,
    ].join('\n'),
  );
} finally {
  await bed.stop();
  await chain.sandbox.stop();
}
