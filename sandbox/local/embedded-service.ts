import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SEARCH_ATTRIBUTES } from '../../workflows/contracts/search-attributes.js';
import type { TaskQueue } from '../../workflows/contracts/task-queues.js';
import type { EmbeddedOptions } from './embedded-options.js';
import { choosePort } from './processes/ports.js';
import { startPostgres, type PostgresServer } from './postgres-server.js';
import { ProcessRegistry } from './processes/process-registry.js';
import type { Progress } from './processes/progress.js';
import { startSandboxServer, type SandboxServer } from './sandbox-server.js';
import { Supervisor, type Server } from './processes/supervisor.js';
import { ensureTemporalBinary } from './temporal-binary.js';
import { claimTemporalData, startTemporal, type TemporalServer } from './temporal-server.js';
import { startWorkerProcess } from './worker-process.js';

const SIGNATURES: TaskQueue = 'signatures';

/** Longer than any part needs by itself; one that hangs must not keep the others from being stopped. */
const STOP_TIMEOUT_MS = 30_000;

export interface EmbeddedServers {
  postgres: PostgresServer | undefined;
  temporal: TemporalServer | undefined;
  sandbox: SandboxServer | undefined;
}

interface Part {
  name: string;
  stop: () => Promise<unknown>;
}

/**
 * Everything that `npm start` runs: servers as child processes, the API with the connections to the validators in this process, and
 * a worker for all else in one of its own, so that an index that catches up keeps no signature waiting.
 */
export class EmbeddedService {
  private readonly registry: ProcessRegistry;
  private readonly parts: { servers: Part[]; service: Part[] } = { servers: [], service: [] };
  private stopping: Promise<void> | undefined;

  /** `onGivenUp` is called when a part cannot be kept running. */
  constructor(
    private readonly options: EmbeddedOptions,
    private readonly progress: Progress,
    private readonly onGivenUp: (reason: Error) => void,
  ) {
    mkdirSync(options.dataFolder, { recursive: true });
    this.registry = new ProcessRegistry(options.dataFolder);
  }

  async start(): Promise<EmbeddedServers & { apiUrl: string }> {
    this.registry.claim();
    await this.registry.stopOrphans(this.progress);
    const starts = [this.startPostgres(), this.startTemporal(), this.startSandbox()] as const;
    await Promise.allSettled(starts); // all of them, so that whatever has started can be stopped when one has failed
    const [postgres, temporal, sandbox] = await Promise.all(starts);
    await this.setEnvironment({ postgres, temporal, sandbox });
    return { postgres, temporal, sandbox, apiUrl: await this.startServices() };
  }

  /** The API first, so that no request comes in any more; what holds the data last. */
  stop(): Promise<void> {
    this.stopping ??= this.stopInOrder();
    return this.stopping;
  }

  private async stopInOrder(): Promise<void> {
    const order = ['service', 'worker', 'sandbox', 'Temporal', 'Postgres'];
    const parts = [...this.parts.service, ...this.parts.servers];
    for (const part of parts.sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name))) {
      await stopWithin(part, this.progress);
    }
    this.registry.release();
  }

  private async startPostgres(): Promise<PostgresServer | undefined> {
    const { databaseUrl, dataFolder, ports } = this.options;
    if (databaseUrl !== undefined) return undefined;
    const dataDir = join(dataFolder, 'postgres');
    return this.supervise('Postgres', 'SIGINT', async (previous: PostgresServer | undefined) => {
      const server = await startPostgres({
        dataDir,
        port: previous?.port ?? ports.postgres,
        progress: this.progress,
      });
      return keepPort(server, previous);
    });
  }

  private async startTemporal(): Promise<TemporalServer | undefined> {
    const { temporalAddress, dataFolder, ports } = this.options;
    if (temporalAddress !== undefined) return undefined;
    const dataDir = join(dataFolder, 'temporal');
    claimTemporalData(dataDir); // before minutes are spent on a program that cannot read them
    const binary = await ensureTemporalBinary(this.progress);
    return this.supervise('Temporal', 'SIGTERM', async (previous: TemporalServer | undefined) => {
      const server = await startTemporal({
        binary,
        dataDir,
        port: previous?.port ?? ports.temporal,
        uiPort: previous?.uiPort ?? ports.temporalUi,
        searchAttributes: SEARCH_ATTRIBUTES,
        progress: this.progress,
        onSpawned: (pid) => this.registry.register('Temporal', pid, 'SIGTERM'),
      });
      return keepPort(server, previous);
    });
  }

  private async startSandbox(): Promise<SandboxServer | undefined> {
    const { sandboxNetworks, dataFolder, ports } = this.options;
    if (sandboxNetworks.length === 0) return undefined;
    const port = await choosePort(ports.sandbox);
    return this.supervise('sandbox', 'SIGTERM', () => startSandboxServer({ dataFolder, port }));
  }

  private async supervise<S extends Server>(
    name: string,
    stopSignal: 'SIGTERM' | 'SIGINT',
    start: (previous: S | undefined) => Promise<S>,
  ): Promise<S> {
    const supervisor = await Supervisor.start<S>({
      name,
      start,
      onStarted: (server) => this.registry.register(name, server.pid, stopSignal),
      onGivenUp: this.onGivenUp,
      progress: this.progress,
    });
    const stop = (): Promise<void> => supervisor.stop().then(() => this.registry.unregister(name));
    this.parts.servers.push({ name, stop });
    return supervisor.current;
  }

  /** The API and the worker are configured by the environment, here as anywhere else. */
  private async setEnvironment({ postgres, temporal, sandbox }: EmbeddedServers): Promise<void> {
    const { env } = process;
    env.DATA_DIR = this.options.dataFolder;
    env.PORT = String(await choosePort(this.options.ports.api));
    if (postgres !== undefined) env.DATABASE_URL = postgres.url;
    if (temporal !== undefined) env.TEMPORAL_ADDRESS = temporal.address;
    if (temporal?.uiUrl != null) env.TEMPORAL_UI_URL = temporal.uiUrl;
    if (sandbox === undefined) return;
    env.SANDBOX_NETWORKS = this.options.sandboxNetworks.join(',');
    for (const network of this.options.sandboxNetworks) {
      env[`${network.toUpperCase()}_NODE_URL`] = sandbox.url;
    }
  }

  private async startServices(): Promise<string> {
    // Only now: what is imported may look at the environment.
    const { parseEnv } = await import('../../src/platform/config/env.schema.js');
    const { WORKER_QUEUES: queues } = parseEnv(process.env);
    const starts = [
      this.startService(queues.filter((queue) => queue === SIGNATURES)),
      this.startWorker(queues.filter((queue) => queue !== SIGNATURES)),
    ] as const;
    await Promise.allSettled(starts);
    const [url] = await Promise.all(starts);
    return url;
  }

  private async startWorker(queues: readonly TaskQueue[]): Promise<void> {
    if (queues.length === 0) return;
    const { dataFolder } = this.options;
    await this.supervise('worker', 'SIGTERM', () => startWorkerProcess({ dataFolder, queues }));
  }

  private async startService(queues: readonly TaskQueue[]): Promise<string> {
    const { startService } = await import('../../src/service.js');
    const service = await startService({ api: true, queues });
    this.parts.service.push({ name: 'service', stop: () => service.close() });
    service.failed.catch((error: unknown) => {
      if (this.stopping === undefined) this.onGivenUp(new Error('the worker has failed', { cause: error }));
    });
    return service.url;
  }
}

/** Each has the address of the previous one. */
async function keepPort<S extends Server & { port: number }>(server: S, previous: S | undefined): Promise<S> {
  if (previous === undefined || previous.port === server.port) return server;
  await server.stop();
  throw new Error(`another program has taken port ${previous.port}`);
}

async function stopWithin(part: Part, progress: Progress): Promise<void> {
  const timeout = new AbortController();
  const late = delay(STOP_TIMEOUT_MS, 'late' as const, { signal: timeout.signal }).catch(() => undefined);
  try {
    if ((await Promise.race([part.stop(), late])) === 'late') {
      progress(`${part.name} does not stop, going on`);
    }
  } catch (error) {
    progress(`${part.name} did not stop cleanly: ${String(error)}`);
  } finally {
    timeout.abort();
  }
}
