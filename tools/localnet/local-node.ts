import { join } from 'node:path';
import { ManagedChild } from '../../sandbox/local/processes/child-process.js';
import { poll } from '../../sandbox/local/processes/poll.js';

const HEALTHY_TIMEOUT_MS = 300_000;
const HEALTHY_INTERVAL_MS = 250;
const HEALTH_REQUEST_TIMEOUT_MS = 5_000;
const STOP_TIMEOUT_MS = 30_000;

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

  /** Bootstrapped on all its chains and connected to enough stake. */
  async waitUntilHealthy(signal?: AbortSignal): Promise<void> {
    await poll({
      what: `health of ${this.options.name}`,
      timeoutMs: HEALTHY_TIMEOUT_MS,
      intervalMs: HEALTHY_INTERVAL_MS,
      ask: async () => {
        signal?.throwIfAborted();
        if (this.child?.hasExited === true) throw new Error(this.child.describeExit());
        return (await this.isHealthy()) ? true : undefined;
      },
    });
  }

  async isHealthy(): Promise<boolean> {
    try {
      const response = await fetch(`${this.url}/ext/health`, {
        signal: AbortSignal.timeout(HEALTH_REQUEST_TIMEOUT_MS),
      });
      await response.arrayBuffer();
      return response.status === 200;
    } catch {
      return false;
    }
  }
}
