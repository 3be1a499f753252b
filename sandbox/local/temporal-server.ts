import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:http2';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ManagedChild } from './processes/child-process.js';
import { poll } from './processes/poll.js';
import { choosePort, freePort, releasePort } from './processes/ports.js';
import { silent, type Progress } from './processes/progress.js';
import { type Server, serverOf } from './processes/supervisor.js';

const READY_TIMEOUT_MS = 60_000;
const READY_INTERVAL_MS = 25;
/** On a busy machine an answer takes its time; whoever is not there refuses at once. */
const HEALTH_CHECK_TIMEOUT_MS = 10_000;
const START_ATTEMPTS = 5;
const RETRY_INTERVAL_MS = 200;

/** 30 days; the server's default of one day is too short for looking at what happened last week. */
const RETENTION_SECONDS = 30 * 86_400;
const RETENTION_TIMEOUT_MS = 10_000;

const DATABASE = 'temporal.db';
/** In the folder of a database of this minor version: the server changes no tables of an older one. */
const TABLES = 'tables-1.32';

/**
 * As shipped, the development server loads tasks 20 times a second (one shard, one ticker) and spreads a task queue over
 * four partitions. That adds 50 ms to every hop and stalls of seconds under concurrency.
 */
const DYNAMIC_CONFIG = [
  'history.transferProcessorMaxPollRPS=2000',
  'history.timerProcessorMaxPollRPS=2000',
  'history.visibilityProcessorMaxPollRPS=500',
  'matching.numTaskqueueReadPartitions=1',
  'matching.numTaskqueueWritePartitions=1',
  // Callers get even shares of the workers.
  'matching.enableFairness=true',
];

/** Write-ahead log: half the cost per call of the rollback journal. FULL keeps what was committed over a power loss. */
const SQLITE_PRAGMAS = ['journal_mode=WAL', 'synchronous=FULL'];

type SearchAttributes = Readonly<
  Record<string, 'Keyword' | 'Double' | 'Int' | 'Text' | 'Bool' | 'Datetime' | 'KeywordList'>
>;

export interface TemporalOptions {
  binary: string;
  dataDir: string;
  /** Wanted ports, stepped over when busy; without them any free ones. No Web UI with `uiPort: null`. */
  port?: number | undefined;
  uiPort?: number | null;
  searchAttributes?: SearchAttributes;
  /** Dynamic configuration besides our own, `name=value`. */
  dynamicConfig?: readonly string[];
  progress?: Progress;
  /** Of each process that is started, before it serves: whoever dies until then leaves it behind. */
  onSpawned?: (pid: number) => void;
}

export interface TemporalServer extends Server {
  address: string;
  uiUrl: string | null;
  port: number;
  uiPort: number | null;
  kill(): Promise<void>;
}

interface Ports {
  frontend: number;
  ui: number | null;
  http: number;
  metrics: number;
}

/** Throws when the folder holds data of an older server, and touches nothing then. */
export function claimTemporalData(dataDir: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  if (existsSync(join(dataDir, TABLES))) return;
  if (existsSync(join(dataDir, DATABASE))) {
    throw new Error(
      `${dataDir} is of an older Temporal server, which this one cannot read: delete that folder (open aggregations and exports are lost with it, and callers repeat them; indexes go on)`,
    );
  }
  writeFileSync(join(dataDir, TABLES), '');
}

/** Starts a Temporal development server on loopback, with the flags that make it fast and durable. */
export async function startTemporal(options: TemporalOptions): Promise<TemporalServer> {
  claimTemporalData(options.dataDir);
  for (let attempt = 1; ; attempt += 1) {
    const ports = await choosePorts(options);
    const child = await spawnServer(options, ports);
    options.onSpawned?.(child.pid);
    void child.exited.then(() => releasePorts(ports));
    try {
      await waitUntilServing(child, ports.frontend);
      void raiseRetention(ports.http, options.progress ?? silent);
      return describeServer(ports, child);
    } catch (error) {
      await child.stop();
      // Its inner services use random ports, which another program may have taken in between.
      if (attempt === START_ATTEMPTS) throw error;
      await delay(RETRY_INTERVAL_MS * attempt);
    }
  }
}

async function choosePorts(options: TemporalOptions): Promise<Ports> {
  const choose = (wanted: number | undefined): Promise<number> =>
    wanted === undefined ? freePort() : choosePort(wanted);
  return {
    frontend: await choose(options.port),
    ui: options.uiPort === null ? null : await choose(options.uiPort),
    http: await freePort(),
    metrics: await freePort(),
  };
}

function releasePorts(ports: Ports): void {
  for (const port of [ports.frontend, ports.ui, ports.http, ports.metrics]) {
    if (port !== null) releasePort(port);
  }
}

function spawnServer(options: TemporalOptions, ports: Ports): Promise<ManagedChild> {
  const repeated = (flag: string, values: readonly string[]): string[] =>
    values.flatMap((value) => [flag, value]);
  const attributes = Object.entries(options.searchAttributes ?? {}).map(([name, type]) => `${name}=${type}`);
  return ManagedChild.start({
    name: 'Temporal',
    command: options.binary,
    args: [
      ...['server', 'start-dev', '--ip', '127.0.0.1', '--log-level', 'error'],
      ...['--db-filename', join(options.dataDir, DATABASE)],
      ...['--port', String(ports.frontend), '--http-port', String(ports.http)],
      ...['--metrics-port', String(ports.metrics)],
      ...(ports.ui === null ? ['--headless'] : ['--ui-port', String(ports.ui)]),
      ...repeated('--sqlite-pragma', SQLITE_PRAGMAS),
      ...repeated('--dynamic-config-value', [...DYNAMIC_CONFIG, ...(options.dynamicConfig ?? [])]),
      ...repeated('--search-attribute', attributes),
      ...ignoreUserConfig,
    ],
    logFile: join(dirname(options.dataDir), 'log', 'temporal.log'),
    stopSignal: 'SIGTERM',
  });
}

/** A user's own configuration of the command-line tool must not affect this server. */
const ignoreUserConfig = ['--disable-config-file', '--disable-config-env'];

async function waitUntilServing(child: ManagedChild, port: number): Promise<void> {
  await poll({
    what: `Temporal on port ${port}`,
    timeoutMs: READY_TIMEOUT_MS,
    intervalMs: READY_INTERVAL_MS,
    ask: async () => {
      if (child.hasExited) throw new Error(child.describeExit());
      return (await isTemporalServing(`127.0.0.1:${port}`)) ? true : undefined;
    },
  });
}

/** Asks the standard gRPC health service; `false` for every kind of failure. */
export function isTemporalServing(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const session = connect(`http://${address}`);
    const finish = (serving: boolean): void => {
      clearTimeout(timer);
      session.destroy();
      resolve(serving);
    };
    const timer = setTimeout(() => finish(false), HEALTH_CHECK_TIMEOUT_MS);
    session.once('error', () => finish(false));
    const request = session.request({
      ':method': 'POST',
      ':path': '/grpc.health.v1.Health/Check',
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('error', () => finish(false));
    request.once('end', () => finish(Buffer.concat(chunks).equals(SERVING_RESPONSE)));
    request.end(HEALTH_CHECK_REQUEST);
  });
}

const FRONTEND_SERVICE = 'temporal.api.workflowservice.v1.WorkflowService';
const HEALTH_CHECK_REQUEST = frame(
  Buffer.concat([Buffer.from([0x0a, FRONTEND_SERVICE.length]), Buffer.from(FRONTEND_SERVICE)]),
);
/** HealthCheckResponse { status: SERVING } */
const SERVING_RESPONSE = frame(Buffer.from([0x08, 0x01]));

/** gRPC: a byte for "not compressed" and the length before the message. */
function frame(message: Buffer): Buffer {
  const header = Buffer.alloc(5);
  header.writeUInt32BE(message.length, 1);
  return Buffer.concat([header, message]);
}

/** At every start, and beside it: nothing waits for it. */
async function raiseRetention(httpPort: number, progress: Progress): Promise<void> {
  try {
    const response = await fetch(`http://127.0.0.1:${httpPort}/api/v1/namespaces/default/update`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ config: { workflowExecutionRetentionTtl: `${RETENTION_SECONDS}s` } }),
      signal: AbortSignal.timeout(RETENTION_TIMEOUT_MS),
    });
    if (!response.ok) throw new Error(await response.text());
  } catch (error) {
    progress(`the retention of Temporal could not be raised, it stays as it is: ${String(error)}`);
  }
}

function describeServer(ports: Ports, child: ManagedChild): TemporalServer {
  return {
    address: `127.0.0.1:${ports.frontend}`,
    uiUrl: ports.ui === null ? null : `http://127.0.0.1:${ports.ui}`,
    port: ports.frontend,
    uiPort: ports.ui,
    ...serverOf(child),
  };
}
