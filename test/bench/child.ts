import { join } from 'node:path';
import { ManagedChild } from '../../sandbox/local/processes/child-process.js';
import { poll } from '../../sandbox/local/processes/poll.js';
import { EnvSchema } from '../../src/platform/config/env.schema.js';
import { projectFolder } from '../../src/platform/config/project-folder.js';

/** A thousand validators sign and certify much first. */
const READY_TIMEOUT_MS = 180_000;
const READY_INTERVAL_MS = 5;

/** Configuration that the person at this machine has made for the service is not for the benchmark. */
const CONFIGURATION = new Set(Object.keys(EnvSchema.shape).filter((name) => name !== 'LOG_LEVEL'));

export interface Child {
  /** Where it listens, when it reports it. */
  url: string;
  pid: number;
  stop(): Promise<void>;
  /** At once and without a chance to tidy up. */
  kill(): Promise<void>;
}

export type Environment = Record<string, string>;

/** Runs a file of the project in a process of its own, and waits until it reports over IPC that it is ready. */
export async function startChild(options: {
  name: string;
  /** Built code. */
  entry: string;
  args?: readonly string[];
  /** Of Node.js. */
  nodeOptions?: readonly string[];
  folder: string;
  /** Another checkout of the project that is built; this one unless given. */
  project?: string;
  env?: Environment;
  /** Receives each message, also the one that it is ready. */
  onMessage?: (message: unknown) => void;
}): Promise<Child> {
  let ready: { url: string } | undefined;
  const { project = projectFolder() } = options;
  const child = await ManagedChild.start({
    name: options.name,
    command: process.execPath,
    args: [
      '--enable-source-maps',
      ...profilerOptions(),
      ...(options.nodeOptions ?? []),
      join(project, options.entry),
      ...(options.args ?? []),
    ],
    cwd: project,
    // The measured quantity is throughput.
    env: { ...inheritedEnvironment(), RATE_LIMITS: 'false', ...options.env },
    logFile: join(options.folder, 'log', `${options.name.replaceAll(' ', '-')}.log`),
    onMessage: (message) => {
      ready ??= readiness(message);
      options.onMessage?.(message);
    },
  });
  const { url } = await poll({
    what: options.name,
    timeoutMs: READY_TIMEOUT_MS,
    intervalMs: READY_INTERVAL_MS,
    ask: () => {
      // In this order: one that ends soon after it was ready has been ready.
      if (ready === undefined && child.hasExited) throw new Error(child.describeExit());
      return ready;
    },
  }).catch(async (error: unknown) => {
    await child.stop();
    throw error;
  });
  return { url, pid: child.pid, stop: () => child.stop(), kill: () => child.kill() };
}

function inheritedEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !CONFIGURATION.has(name)));
}

/** `BENCH_CPU_PROFILES=folder` leaves a CPU profile of each thread there, by process id and thread. */
function profilerOptions(): string[] {
  const folder = process.env['BENCH_CPU_PROFILES'];
  return folder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${folder}`];
}

/** Undefined for other messages: one that is slow to start may report of its memory before. */
function readiness(message: unknown): { url: string } | undefined {
  if (message === 'ready') return { url: '' };
  return typeof message === 'object' &&
    message !== null &&
    'url' in message &&
    typeof message.url === 'string'
    ? { url: message.url }
    : undefined;
}
