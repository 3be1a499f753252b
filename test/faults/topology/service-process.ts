import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { type Child, type Environment, startChild } from '../../bench/child.js';
import { WORKER_NODE_OPTIONS } from '../../../sandbox/local/worker-process.js';
import { freePort } from '../../../sandbox/local/processes/ports.js';

/** Which code a process runs, and what it is started with besides the environment of all. */
export interface Version {
  /** A checkout that is built; this one unless given. */
  readonly project?: string | undefined;
}

export interface ServiceProcessOptions {
  readonly name: string;
  readonly kind: 'api' | 'worker';
  readonly folder: string;
  readonly env: Environment;
  readonly version: Version;
  readonly onStarted: (pid: number) => void;
  readonly onMessage?: (message: unknown) => void;
}

/** A balancer takes its time, too. */
const OUT_OF_ROTATION_MS = 500;

const ENTRIES = { api: 'dist/bundled/src/main.js', worker: 'dist/bundled/src/worker.js' } as const;

/** An API or worker process that is killed, paused and started again; an API process always at the same address. */
export class ServiceProcess {
  private child: Child | undefined;
  private version: Version;
  private isPaused = false;
  private isInRotation = false;
  /** Monotonic, of this process. */
  readonly killedAt: number[] = [];

  private constructor(
    private readonly options: ServiceProcessOptions,
    private readonly port: number,
  ) {
    this.version = options.version;
  }

  static async create(options: ServiceProcessOptions): Promise<ServiceProcess> {
    return new ServiceProcess(options, await freePort());
  }

  get name(): string {
    return this.options.name;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Undefined while it does not run. */
  get pid(): number | undefined {
    return this.child?.pid;
  }

  /** Whether callers are sent to it: not while it is being replaced in good order. One that was killed is still asked. */
  get takesRequests(): boolean {
    return this.isInRotation;
  }

  /** Until it is ready. `env` is for this time alone. */
  async start(env: Environment = {}): Promise<void> {
    const { name, kind, folder, onMessage } = this.options;
    this.child = await startChild({
      name,
      entry: ENTRIES[kind],
      nodeOptions: kind === 'worker' ? WORKER_NODE_OPTIONS : [],
      folder,
      ...(this.version.project === undefined ? {} : { project: this.version.project }),
      env: { ...this.options.env, PORT: String(this.port), ...env },
      ...(onMessage === undefined ? {} : { onMessage }),
    });
    this.options.onStarted(this.child.pid);
    this.isInRotation = true;
  }

  /** As operators do: no further callers are sent to it, and it answers those that it has, or hands its work back. */
  async stop(): Promise<void> {
    this.isInRotation = false;
    this.resume();
    // Connections that the system has accepted and the process has not are reset when it stops to listen.
    if (this.options.kind === 'api') await delay(OUT_OF_ROTATION_MS);
    await this.child?.stop();
    this.child = undefined;
  }

  /** kill -9 */
  async kill(): Promise<void> {
    this.killedAt.push(performance.now());
    await this.child?.kill();
    this.child = undefined;
  }

  /** From the next start on. */
  upgrade(): void {
    this.version = {};
  }

  /** The process stands still, and its connections stay. */
  pause(): void {
    if (this.child === undefined) return;
    process.kill(this.child.pid, 'SIGSTOP');
    this.isPaused = true;
  }

  resume(): void {
    if (this.child !== undefined && this.isPaused) process.kill(this.child.pid, 'SIGCONT');
    this.isPaused = false;
  }
}
