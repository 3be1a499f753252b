import { join } from 'node:path';
import { ManagedChild } from '../../sandbox/local/processes/child-process.js';
import { poll } from '../../sandbox/local/processes/poll.js';

const HEALTHY_TIMEOUT_MS = 300_000;
const HEALTHY_INTERVAL_MS = 250;
const HEALTH_REQUEST_TIMEOUT_MS = 5_000;
const STOP_TIMEOUT_MS = 30_000;
const SHOWN_CHARACTERS = 4_000;

export interface LocalNodeOptions {
  name: string;
  nodeId: string;
  binary: string;
  flags: readonly string[];
  dataFolder: string;
  httpPort: number;
  stakingPort: number;
  onStarted?: (pid: number) => void;
}

/** One avalanchego process; stopped or killed, it can be started again over its data and on its ports. */
export class LocalNode {
  readonly nodeId: string;
  readonly url: string;
  readonly stakingPort: number;
  private child: ManagedChild | undefined;

  constructor(private readonly options: LocalNodeOptions) {
    this.nodeId = options.nodeId;
    this.url = `http://127.0.0.1:${options.httpPort}`;
    this.stakingPort = options.stakingPort;
  }

  get pid(): number | undefined {
    return this.child?.hasExited === false ? this.child.pid : undefined;
  }

  async start(): Promise<void> {
    if (this.pid !== undefined) return;
    this.child = await ManagedChild.start({
      name: this.options.name,
      command: this.options.binary,
      args: this.options.flags,
      // Each of its chains makes a folder for keys at every start and leaves it behind.
      env: { ...process.env, TMPDIR: this.options.dataFolder },
      logFile: join(this.options.dataFolder, 'output.log'),
      stopTimeoutMs: STOP_TIMEOUT_MS,
    });
    this.options.onStarted?.(this.child.pid);
  }

  async stop(): Promise<void> {
    await this.child?.stop();
  }

  async kill(): Promise<void> {
    await this.child?.kill();
  }

  /** Bootstrapped on all its chains and connected to enough stake. Throws Error with the checks that the node itself reports as failed. */
  async waitUntilHealthy(signal?: AbortSignal): Promise<void> {
    let failed: string | undefined;
    await poll({
      what: () => `health of ${this.options.name} (${failed})`,
      timeoutMs: HEALTHY_TIMEOUT_MS,
      intervalMs: HEALTHY_INTERVAL_MS,
      ask: async () => {
        signal?.throwIfAborted();
        if (this.child?.hasExited === true) throw new Error(this.child.describeExit());
        failed = await this.failedChecks();
        return failed === undefined ? true : undefined;
      },
    });
  }

  /** Undefined of a healthy node. */
  private async failedChecks(): Promise<string | undefined> {
    try {
      const response = await fetch(`${this.url}/ext/health`, {
        signal: AbortSignal.timeout(HEALTH_REQUEST_TIMEOUT_MS),
      });
      const body = await response.text();
      return response.status === 200 ? undefined : failedChecksIn(body);
    } catch (error) {
      return String(error);
    }
  }
}

function failedChecksIn(body: string): string {
  const { checks = {} } = JSON.parse(body) as { checks?: Record<string, { error?: string }> };
  const failed = Object.entries(checks).filter(([, { error }]) => error !== undefined);
  return JSON.stringify(Object.fromEntries(failed)).slice(0, SHOWN_CHARACTERS);
}
