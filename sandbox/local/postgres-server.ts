import { readFileSync, rmSync } from 'node:fs';
import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { ManagedChild } from './processes/child-process.js';
import { poll } from './processes/poll.js';
import { choosePort, freePort, releasePort } from './processes/ports.js';
import { type Server, serverOf } from './processes/supervisor.js';
import { locatePostgresBinaries, type PostgresBinaries } from './postgres-binaries.js';
import {
  findFolders,
  ids,
  initialiseCluster,
  loadOrCreatePassword,
  POSTGRES_USER,
  prepareFolders,
  removeFolders,
  type PostgresFolders,
} from './postgres-data.js';
import { postgresProfile } from './postgres-profile.js';
import { readCommandLine } from '../../src/platform/config/process-identity.js';
import { silent, type Progress } from './processes/progress.js';
import { chooseServerUser, type SystemUser } from './processes/system-user.js';

const DATABASE_NAME = 'nds';

/** Crash recovery after kill -9 comes before readiness and may take its time. */
const READY_TIMEOUT_MS = 120_000;
const READY_INTERVAL_MS = 20;
/**
 * Another program took the port in between, or processes of a killed server still hold the shared memory: on a busy machine for
 * some seconds.
 */
const START_ATTEMPTS = 10;
const RETRY_INTERVAL_MS = 200;
const STOP_TIMEOUT_MS = 60_000;

export interface PostgresOptions {
  dataDir: string;
  /** Wanted port, stepped over when busy; without it any free one. */
  port?: number | undefined;
  /** Server settings besides those that this file makes. */
  settings?: Readonly<Record<string, string>>;
  progress?: Progress | undefined;
}

export interface PostgresServer extends Server {
  url: string;
  port: number;
  passwordFile: string;
  /** Where the data really is: not under dataDir when the server's user cannot reach that. */
  dataFolder: string;
  kill(): Promise<void>;
  /** Removes the data of a stopped server. */
  removeData(): void;
}

interface Setup {
  options: PostgresOptions;
  user: SystemUser | undefined;
  binaries: PostgresBinaries;
  folders: PostgresFolders;
  password: string;
}

/** Starts Postgres on loopback over the given data folder, which is created at first use, with a database in it. */
export async function startPostgres(options: PostgresOptions): Promise<PostgresServer> {
  const progress = options.progress ?? silent;
  const user = chooseServerUser(options.dataDir);
  const binaries = locatePostgresBinaries(user, progress);
  const folders = prepareFolders(options.dataDir, user, progress);
  const password = loadOrCreatePassword(folders, user);
  const setup: Setup = { options, user, binaries, folders, password };
  await initialiseCluster(folders, binaries, user);
  await stopLeftover(setup, progress);
  return startOverCluster(setup);
}

/** URL of the server that runs over this data folder; undefined when none does. */
export function findRunningPostgres(dataDir: string): string | undefined {
  const folders = findFolders(dataDir);
  const [, , , port] = readPidFile(folders);
  if (port === undefined) return undefined;
  return urlOf(readFileSync(folders.passwordFile, 'utf8').trim(), Number(port), DATABASE_NAME);
}

async function startOverCluster(setup: Setup): Promise<PostgresServer> {
  for (let attempt = 1; ; attempt += 1) {
    const wanted = setup.options.port;
    const port = wanted === undefined ? await freePort() : await choosePort(wanted);
    const child = await spawnServer(setup, port);
    void child.exited.then(() => releasePort(port));
    try {
      await waitUntilReady(setup, child);
      await createDatabase(urlOf(setup.password, port, 'postgres'));
      return describeServer(setup, port, child);
    } catch (error) {
      await child.stop();
      if (attempt === START_ATTEMPTS) throw error;
      await delay(RETRY_INTERVAL_MS * attempt);
    }
  }
}

function spawnServer(setup: Setup, port: number): Promise<ManagedChild> {
  const settings = {
    ...postgresProfile(),
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    log_min_messages: 'warning',
    ...setup.options.settings,
  };
  return ManagedChild.start({
    name: 'Postgres',
    command: setup.binaries.postgres,
    args: [
      '-D',
      setup.folders.data,
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    logFile: join(dirname(setup.options.dataDir), 'log', 'postgres.log'),
    cwd: setup.folders.base,
    env: { ...process.env, LC_ALL: 'C' },
    user: ids(setup.user),
    stopSignal: 'SIGINT', // "fast": ends sessions, then writes a checkpoint
    stopTimeoutMs: STOP_TIMEOUT_MS,
  });
}

async function waitUntilReady(setup: Setup, child: ManagedChild): Promise<void> {
  await poll({
    what: `Postgres on ${setup.folders.data}`,
    timeoutMs: READY_TIMEOUT_MS,
    intervalMs: READY_INTERVAL_MS,
    ask: () => {
      if (child.hasExited) throw new Error(child.describeExit());
      const lines = readPidFile(setup.folders);
      return lines[0] === String(child.pid) && lines[7]?.trim() === 'ready' ? true : undefined;
    },
  });
}

/** postmaster.pid: process id first, state in the eighth line. */
function readPidFile(folders: PostgresFolders): string[] {
  try {
    return readFileSync(join(folders.data, 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    return [];
  }
}

async function createDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [DATABASE_NAME]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE_NAME}`);
  } finally {
    await client.end();
  }
}

/**
 * A server that outlived the process that started it (kill -9) still holds the data. A pid file whose process is
 * something else by now would keep Postgres from starting when that process happens to belong to the same user.
 */
async function stopLeftover(setup: Setup, progress: Progress): Promise<void> {
  const pid = Number.parseInt(readPidFile(setup.folders)[0] ?? '', 10);
  if (!Number.isSafeInteger(pid) || pid <= 0) return;
  if (readCommandLine(pid)?.includes(setup.folders.data) !== true && process.platform !== 'win32') {
    rmSync(join(setup.folders.data, 'postmaster.pid'), { force: true });
    return;
  }
  progress(`stopping the Postgres server (process ${pid}) that an earlier run left behind`);
  const args = ['stop', '-D', setup.folders.data, '-m', 'fast', '-w', '-t', String(STOP_TIMEOUT_MS / 1000)];
  try {
    await promisify(execFile)(setup.binaries.pgCtl, args, { cwd: setup.folders.base, ...ids(setup.user) });
  } catch (error) {
    // It may have ended by itself meanwhile; whether the data can be had shows at the start.
    progress(`pg_ctl stop: ${String(error)}`);
  }
}

function urlOf(password: string, port: number, database: string): string {
  return `postgres://${POSTGRES_USER}:${password}@127.0.0.1:${port}/${database}`;
}

function describeServer(setup: Setup, port: number, child: ManagedChild): PostgresServer {
  return {
    url: urlOf(setup.password, port, DATABASE_NAME),
    port,
    passwordFile: setup.folders.passwordFile,
    dataFolder: setup.folders.data,
    ...serverOf(child),
    removeData: () => removeFolders(setup.options.dataDir, setup.folders),
  };
}
