import { execFile, type ExecFileException } from 'node:child_process';
import { join } from 'node:path';
import { ManagedChild } from '../../../sandbox/local/processes/child-process.js';
import { projectFolder } from '../../../src/platform/config/project-folder.js';
import { createTestFolder } from './services.js';

/** A little less than a test has: one that ends here shows what was printed. The fault suite alone has patience for ten minutes and more. */
const LIMIT_MS = 840_000;
/** To stop servers of its own, and to remove what they wrote. */
const STOP_TIMEOUT_MS = 120_000;

interface Ended {
  readonly code: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

const SET_UP = 'sandbox/local/setup.mjs';

/** In the project's folder, to its end. */
export function runToEnd(command: string, ...args: string[]): Promise<Ended> {
  return runIn(process.env, command, args);
}

/** As package.json runs it. */
export function runScript(...args: string[]): Promise<Ended> {
  return runToEnd(process.execPath, SET_UP, ...args);
}

/** With its temporary files in that folder. */
export function runBenchmark(args: readonly string[], temporaryFolder: string): Promise<Ended> {
  return runIn(ofBenchmark(temporaryFolder), process.execPath, [SET_UP, 'bench', ...args]);
}

/** The same, but does not wait for its end. */
export function startBenchmark(args: readonly string[], temporaryFolder: string): Promise<ManagedChild> {
  return ManagedChild.start({
    name: 'benchmark',
    command: process.execPath,
    args: [SET_UP, 'bench', ...args],
    cwd: projectFolder(),
    env: ofBenchmark(temporaryFolder),
    logFile: join(createTestFolder('log'), 'benchmark.log'),
    stopTimeoutMs: STOP_TIMEOUT_MS,
  });
}

const ofBenchmark = (temporaryFolder: string): NodeJS.ProcessEnv => ({
  ...process.env,
  TMPDIR: temporaryFolder,
  BENCH_SMALL: '1',
});

function runIn(env: NodeJS.ProcessEnv, command: string, args: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const answer = (error: ExecFileException | null, stdout: string, stderr: string): void =>
      resolve({ code: error === null ? 0 : (error.code ?? String(error.signal)), stdout, stderr });
    execFile(command, args, { cwd: projectFolder(), timeout: LIMIT_MS, env }, answer);
  });
}
