import { setTimeout as delay } from 'node:timers/promises';
import type { ChildExit, ManagedChild } from './child-process.js';
import type { Progress } from './progress.js';

/** A server that was started by this process and may end at any time. */
export interface Server {
  pid: number;
  exited: Promise<ChildExit>;
  describeExit(): string;
  stop(): Promise<void>;
}

/** A child as such a server, for what is known of it besides. */
export function serverOf(child: ManagedChild): Server & Pick<ManagedChild, 'kill'> {
  return {
    pid: child.pid,
    exited: child.exited,
    describeExit: () => child.describeExit(),
    stop: () => child.stop(),
    kill: () => child.kill(),
  };
}

export interface SupervisorOptions<S extends Server> {
  name: string;
  /** Starts it the first time, or as a replacement of the previous one: same data, same ports. */
  start: (previous: S | undefined) => Promise<S>;
  onStarted?: (server: S) => void;
  /** It cannot be kept running. */
  onGivenUp: (reason: Error) => void;
  progress: Progress;
  restartDelaysMs?: readonly number[];
  stableAfterMs?: number;
}

const RESTART_DELAYS_MS = [500, 1_000, 2_000, 5_000, 10_000];
/** One that ran for this long starts over with its share of restarts. */
const STABLE_AFTER_MS = 300_000;

/** Keeps a server running: it is started again when it ends by itself, a bounded number of times in a row. */
export class Supervisor<S extends Server> {
  private readonly stopping = new AbortController();
  private restarts = 0;
  private watching: Promise<void> = Promise.resolve();

  private constructor(
    private readonly options: SupervisorOptions<S>,
    private server: S,
  ) {}

  static async start<S extends Server>(options: SupervisorOptions<S>): Promise<Supervisor<S>> {
    const server = await options.start(undefined);
    const supervisor = new Supervisor(options, server);
    supervisor.watch();
    return supervisor;
  }

  get current(): S {
    return this.server;
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.server.stop();
    await this.watching;
  }

  private watch(): void {
    const startedAt = performance.now();
    this.options.onStarted?.(this.server);
    this.watching = this.server.exited.then(async () => {
      if (this.stopping.signal.aborted) return;
      if (performance.now() - startedAt > (this.options.stableAfterMs ?? STABLE_AFTER_MS)) this.restarts = 0;
      await this.restart(this.server.describeExit());
    });
  }

  private async restart(reason: string): Promise<void> {
    const { name, progress } = this.options;
    const delayMs = (this.options.restartDelaysMs ?? RESTART_DELAYS_MS)[this.restarts];
    if (delayMs === undefined) {
      this.options.onGivenUp(
        new Error(`${name} does not stay up after ${this.restarts} restarts: ${reason}`),
      );
      return;
    }
    this.restarts += 1;
    progress(`${reason}\nstarting ${name} again`);
    await delay(delayMs, undefined, { signal: this.stopping.signal }).catch(() => undefined);
    if (this.stopping.signal.aborted) return;
    try {
      this.server = await this.options.start(this.server);
    } catch (error) {
      await this.restart(error instanceof Error ? error.message : String(error));
      return;
    }
    if (this.stopping.signal.aborted) {
      await this.server.stop();
      return;
    }
    progress(`${name} is up again`);
    this.watch();
  }
}
