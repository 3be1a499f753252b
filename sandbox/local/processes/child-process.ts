import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

const LOG_ROTATION_BYTES = 10 * 1024 * 1024;
const LOG_TAIL_BYTES = 4096;
const DEFAULT_STOP_TIMEOUT_MS = 15_000;

export interface ChildOptions {
  /** How messages call it. */
  name: string;
  command: string;
  args: readonly string[];
  /** Its output goes straight to this file: a pipe would break, and the child with it, when this process is killed. */
  logFile: string;
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  user?: { uid: number; gid: number } | undefined;
  stopSignal?: NodeJS.Signals;
  stopTimeoutMs?: number;
  /** For Node programs: opens a channel for messages, and hands them over. */
  onMessage?: (message: unknown) => void;
}

export interface ChildExit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

const running = new Set<ManagedChild>();

process.once('exit', () => {
  for (const child of running) child.signal(child.stopSignal);
});

/**
 * A server started by this process. It is in a session of its own, so that Ctrl-C in the terminal reaches only this process, which then
 * stops its servers in order. Whatever still runs when this process exits is stopped.
 */
export class ManagedChild {
  readonly name: string;
  readonly logFile: string;
  readonly stopSignal: NodeJS.Signals;
  readonly exited: Promise<ChildExit>;
  private readonly process: ChildProcess;
  private readonly stopTimeoutMs: number;
  private exit: ChildExit | undefined;

  private constructor(options: ChildOptions, process: ChildProcess) {
    this.name = options.name;
    this.logFile = options.logFile;
    this.stopSignal = options.stopSignal ?? 'SIGTERM';
    this.stopTimeoutMs = options.stopTimeoutMs ?? DEFAULT_STOP_TIMEOUT_MS;
    this.process = process;
    this.exited = new Promise((resolve) => {
      process.once('exit', (code, signal) => {
        this.exit = { code, signal };
        running.delete(this);
        resolve(this.exit);
      });
    });
    running.add(this);
  }

  static async start(options: ChildOptions): Promise<ManagedChild> {
    const log = openLog(options.logFile);
    try {
      const child = spawn(options.command, options.args, {
        cwd: options.cwd,
        env: options.env ?? process.env,
        stdio: ['ignore', log, log, ...(options.onMessage === undefined ? [] : ['ipc' as const])],
        detached: process.platform !== 'win32',
        windowsHide: true,
        ...options.user,
      });
      const managed = new ManagedChild(options, child);
      if (options.onMessage !== undefined) child.on('message', options.onMessage);
      try {
        await once(child, 'spawn');
      } catch (error) {
        running.delete(managed);
        throw new Error(`${options.name} could not be started from ${options.command}`, { cause: error });
      }
      return managed;
    } finally {
      closeSync(log);
    }
  }

  /** All that this process has started and that still run. */
  static async stopAll(): Promise<void> {
    await Promise.all([...running].map((child) => child.stop()));
  }

  get pid(): number {
    if (this.process.pid === undefined) throw new Error(`${this.name} has no process id`);
    return this.process.pid;
  }

  get hasExited(): boolean {
    return this.exit !== undefined;
  }

  signal(signal: NodeJS.Signals): void {
    if (!this.hasExited) this.process.kill(signal);
  }

  /** Asks it to end and waits; kills it when it has not ended in time. */
  async stop(): Promise<void> {
    this.signal(this.stopSignal);
    const timer = setTimeout(() => this.signal('SIGKILL'), this.stopTimeoutMs);
    await this.exited;
    clearTimeout(timer);
  }

  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.exited;
  }

  /** Why it ended, in one line, with the end of its log below. */
  describeExit(): string {
    const how = this.exit === undefined ? 'is still running' : describe(this.exit);
    const tail = readLogTail(this.logFile);
    return `${this.name} ${how} (log: ${this.logFile})${tail === '' ? '' : `\n${tail}`}`;
  }
}

function describe(exit: ChildExit): string {
  return exit.signal === null ? `ended with exit code ${String(exit.code)}` : `was ended by ${exit.signal}`;
}

function openLog(logFile: string): number {
  mkdirSync(dirname(logFile), { recursive: true });
  const size = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
  if (size > LOG_ROTATION_BYTES) {
    rmSync(`${logFile}.1`, { force: true });
    renameSync(logFile, `${logFile}.1`);
  }
  return openSync(logFile, 'a', 0o600);
}

/** The last lines of a log, at most a few kilobytes. */
function readLogTail(logFile: string): string {
  let file: number;
  try {
    file = openSync(logFile, 'r');
  } catch {
    return '';
  }
  try {
    const size = statSync(logFile).size;
    const tail = Buffer.alloc(Math.min(size, LOG_TAIL_BYTES));
    readSync(file, tail, 0, tail.length, size - tail.length);
    return tail.toString('utf8').trimEnd();
  } finally {
    closeSync(file);
  }
}
