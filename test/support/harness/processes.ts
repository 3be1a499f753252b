import { beforeEach } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '../../../src/platform/config/project-folder.js';
import { type Cleanups, currentCleanups } from './cleanup.js';
import { fromGlobalSetup } from './env.js';
import { registerProcess } from './process-register.js';

/** For one that never gets ready: on a busy machine a process takes its time. */
const DEFAULT_TIMEOUT_MS = 300_000;
/** More than the service gives itself: one that is killed has not given back what it held. */
const STOP_TIMEOUT_MS = 60_000;
/** Looks at a pipe after its process has ended. Not a time: after a standstill the clock is far ahead of what has been read. */
const REST_OF_OUTPUT_LOOKS = 10;
const LOOK_INTERVAL_MS = 50;
const MAX_OUTPUT_CHARACTERS = 200_000;

export interface SpawnOptions {
  /** How failures call it. */
  name?: string;
  /** Built code, such as `dist/bundled/src/worker.js`. */
  entry: string;
  args?: readonly string[];
  /** Of Node.js. */
  nodeOptions?: readonly string[];
  /** Added to the environment of this process; undefined takes a variable away. */
  env?: Record<string, string | undefined>;
  /** Wait for output that matches, or for any message over IPC, before it is handed out. */
  ready?: RegExp | 'message';
  timeoutMs?: number;
  /** When it is stopped, if not after the test that starts it. */
  cleanups?: Cleanups;
}

const spawned = new Set<SpawnedProcess>();

// Registered with the spec file that imports this one. Those of the last test are stopped by now; it may have failed.
beforeEach(() => {
  for (const child of spawned) if (child.hasExited) spawned.delete(child);
});

// Called by environment.mjs when a test has failed.
Object.assign(globalThis, {
  dumpProcesses: () => {
    for (const child of spawned) {
      process.stderr.write(`--- output of ${child.name} (process ${child.pid})\n${child.output}\n`);
    }
  },
});

/** Starts a process of the built service, with an IPC channel, and waits until it is ready. */
export async function spawnProcess(options: SpawnOptions): Promise<SpawnedProcess> {
  const entry = join(projectFolder(), options.entry);
  if (!existsSync(entry)) throw new Error(`${entry} is missing: run "npm run build"`);
  const nodeOptions = ['--enable-source-maps', ...(options.nodeOptions ?? [])];
  const child = spawn(process.execPath, [...nodeOptions, entry, ...(options.args ?? [])], {
    cwd: projectFolder(),
    env: { ...process.env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const handle = new SpawnedProcess(options.name ?? options.entry, child);
  spawned.add(handle);
  (options.cleanups ?? currentCleanups()).addStop(() => handle.stop());
  registerProcess(fromGlobalSetup('folder'), handle.pid);
  if (options.ready === 'message') await handle.waitForMessage(() => true, options.timeoutMs);
  else if (options.ready !== undefined) await handle.waitForOutput(options.ready, options.timeoutMs);
  return handle;
}

export class SpawnedProcess {
  /** Everything printed so far, both streams, the oldest part dropped when it is a lot. */
  output = '';
  readonly messages: unknown[] = [];
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  hasExited = false;
  private readonly listeners = new Set<() => void>();

  constructor(
    readonly name: string,
    private readonly child: ChildProcess,
  ) {
    const onData = (chunk: Buffer): void => {
      this.output = (this.output + chunk.toString('utf8')).slice(-MAX_OUTPUT_CHARACTERS);
      this.notify();
    };
    child.stdout?.on('data', onData);
    child.stderr?.on('data', onData);
    child.on('message', (message) => {
      this.messages.push(message);
      this.notify();
    });
    this.exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        const finish = (): void => {
          this.hasExited = true;
          this.notify();
          resolve({ code, signal });
        };
        // The rest of the output comes before "close", which does not come while a grandchild holds the pipe.
        let looks = 0;
        const timer = setInterval(() => {
          looks += 1;
          if (looks < REST_OF_OUTPUT_LOOKS) return;
          clearInterval(timer);
          finish();
        }, LOOK_INTERVAL_MS);
        child.once('close', () => {
          clearInterval(timer);
          finish();
        });
      });
    });
  }

  get pid(): number {
    if (this.child.pid === undefined) throw new Error(`${this.name} could not be started`);
    return this.child.pid;
  }

  send(message: object): void {
    this.child.send(message);
  }

  /** Output printed before the call counts as well. */
  waitForOutput(pattern: RegExp, timeoutMs = DEFAULT_TIMEOUT_MS): Promise<RegExpExecArray> {
    return this.waitFor(`output ${String(pattern)}`, () => pattern.exec(this.output) ?? undefined, timeoutMs);
  }

  /** The first message for which `accept` answers something; earlier messages count as well. */
  waitForMessage<T>(accept: (message: unknown) => T | undefined, timeoutMs = DEFAULT_TIMEOUT_MS): Promise<T> {
    const find = (): T | undefined => {
      for (const message of this.messages) {
        const accepted = accept(message);
        if (accepted !== undefined) return accepted;
      }
      return undefined;
    };
    return this.waitFor('message', find, timeoutMs);
  }

  signal(signal: NodeJS.Signals): void {
    if (!this.hasExited) this.child.kill(signal);
  }

  /** At once and without a chance to tidy up, unless another signal is asked for. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    this.signal(signal);
    await this.exited;
  }

  async stop(): Promise<void> {
    this.signal('SIGTERM');
    const timer = setTimeout(() => this.signal('SIGKILL'), STOP_TIMEOUT_MS);
    await this.exited;
    clearTimeout(timer);
  }

  private notify(): void {
    for (const listener of [...this.listeners]) listener();
  }

  private waitFor<T>(what: string, find: () => T | undefined, timeoutMs: number): Promise<T> {
    return new Promise((resolve, reject) => {
      const fail = (why: string): void =>
        reject(new Error(`${this.name}: ${why} while waiting for ${what}; it printed:\n${this.output}`));
      const check = (): void => {
        const found = find();
        if (found === undefined && !this.hasExited) return;
        clearTimeout(timer);
        this.listeners.delete(check);
        if (found === undefined) fail('it ended');
        else resolve(found);
      };
      const timer = setTimeout(() => {
        this.listeners.delete(check);
        fail(`nothing after ${timeoutMs} ms`);
      }, timeoutMs);
      this.listeners.add(check);
      check();
    });
  }
}
