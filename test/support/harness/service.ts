import { randomUUID } from 'node:crypto';
import { WORKER_NODE_OPTIONS } from '../../../sandbox/local/worker-process.js';
import { type Cleanups, currentCleanups } from './cleanup.js';
import { createTestDatabase, createTestFolder, startTemporalForTest } from './services.js';
import { spawnProcess, type SpawnedProcess } from './processes.js';

export interface ServiceOptions {
  /** Behind both network names unless the environment sets others. */
  nodeUrl: string;
  workers?: number;
  /** The API serves the signatures itself, and no other worker is started unless `workers` asks for it. */
  isHosted?: boolean;
  env?: Record<string, string | undefined>;
  /** Of the workers alone, besides that. */
  workerEnv?: Record<string, string | undefined>;
  databaseUrl?: string;
  temporalAddress?: string;
}

export interface ApiAnswer {
  status: number;
  contentType: string | null;
  body: unknown;
}

/** API and worker as real processes of the built code, with a database and a Temporal server of their own. */
export class TestService {
  /** A process that a test starts for a service that it has not started goes on with the service. */
  private readonly cleanups = currentCleanups();

  private constructor(
    public url: string,
    readonly temporalAddress: string,
    readonly databaseUrl: string,
    private readonly env: Record<string, string | undefined>,
    public api: SpawnedProcess,
    readonly workers: SpawnedProcess[],
  ) {}

  static async start(options: ServiceOptions): Promise<TestService> {
    const [address, databaseUrl] = await Promise.all([
      // A Temporal of its own: workers of other spec files poll the same queue of the shared one.
      options.temporalAddress ?? startTemporalForTest().then((temporal) => temporal.address),
      options.databaseUrl ?? createTestDatabase().then(({ url }) => url),
    ]);
    const env = {
      DATABASE_URL: databaseUrl,
      TEMPORAL_ADDRESS: address,
      FUJI_NODE_URL: options.nodeUrl,
      MAINNET_NODE_URL: undefined,
      EVM_CHAINS_FILE: 'test/support/evm/no-evm-chains.json',
      DATA_DIR: createTestFolder('data'),
      PORT: '0',
      LOG_LEVEL: 'info',
      // The nodes are in the process of the tests, which stands still for seconds on a busy machine.
      NODE_TIMEOUT_MS: '20000',
      // Tests call as strangers do, and more often.
      RATE_LIMITS: 'false',
      ...(options.isHosted === true ? { API_WORKER_QUEUES: 'signatures' } : {}),
      ...options.env,
    };
    const count = options.workers ?? (options.isHosted === true ? 0 : 1);
    const cleanups = currentCleanups();
    const [api, ...workers] = await Promise.all([
      startApi(env, cleanups),
      ...Array.from({ length: count }, (_, i) => startWorker(i, { ...env, ...options.workerEnv }, cleanups)),
    ]);
    return new TestService(await urlOf(api), address, databaseUrl, env, api, workers);
  }

  killApi(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    return this.api.kill(signal);
  }

  /** At another address: somebody else may have the port of the one before by now. */
  async restartApi(): Promise<void> {
    this.api = await startApi(this.env, this.cleanups);
    this.url = await urlOf(this.api);
  }

  async startWorker(env: Record<string, string | undefined> = {}): Promise<SpawnedProcess> {
    const worker = await startWorker(this.workers.length, { ...this.env, ...env }, this.cleanups);
    this.workers.push(worker);
    return worker;
  }

  aggregate(body: unknown, network = 'fuji'): Promise<ApiAnswer> {
    return this.post(`/v1/signatureAggregator/${network}/aggregateSignatures`, JSON.stringify(body));
  }

  post(path: string, body: string, headers: Record<string, string> = {}): Promise<ApiAnswer> {
    return this.request(path, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers },
    });
  }

  async request(path: string, init: RequestInit = {}): Promise<ApiAnswer> {
    const response = await fetch(`${this.url}${path}`, init);
    const body: unknown = JSON.parse(await response.text());
    return { status: response.status, contentType: response.headers.get('content-type'), body };
  }
}

function startApi(env: Record<string, string | undefined>, cleanups: Cleanups): Promise<SpawnedProcess> {
  return spawnProcess({ name: 'api', entry: 'dist/bundled/src/main.js', env, ready: 'message', cleanups });
}

function startWorker(
  position: number,
  env: Record<string, string | undefined>,
  cleanups: Cleanups,
): Promise<SpawnedProcess> {
  const name = `worker ${position} ${randomUUID().slice(0, 4)}`;
  return spawnProcess({
    name,
    entry: 'dist/bundled/src/worker.js',
    nodeOptions: WORKER_NODE_OPTIONS,
    env,
    ready: 'message',
    cleanups,
  });
}

function urlOf(api: SpawnedProcess): Promise<string> {
  return api.waitForMessage((message) =>
    typeof message === 'object' && message !== null && 'url' in message && typeof message.url === 'string'
      ? message.url
      : undefined,
  );
}
