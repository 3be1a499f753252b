import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { freePort } from '../../sandbox/local/processes/ports.js';
import { startPostgres, type PostgresServer } from '../../sandbox/local/postgres-server.js';
import { ensureTemporalBinary } from '../../sandbox/local/temporal-binary.js';
import { startTemporal, type TemporalServer } from '../../sandbox/local/temporal-server.js';
import { WORKER_NODE_OPTIONS } from '../../sandbox/local/worker-process.js';
import { SEARCH_ATTRIBUTES } from '../../workflows/contracts/search-attributes.js';
import { projectFolder } from '../../src/platform/config/project-folder.js';
import { makeBenchFolder } from './bench-folder.js';
import { type Child, type Environment, startChild } from './child.js';
import { SMALL_ENVIRONMENT } from './small.js';

const WORKER = { name: 'worker', entry: 'dist/bundled/src/worker.js' };

/** Which code of the service runs, and where its tables are. */
export interface Service {
  readonly project?: string;
  readonly databaseUrl?: string;
  readonly env?: Environment;
}

export interface MonitoredChild extends Child {
  /** In Prometheus' text form. */
  metrics(): Promise<string>;
}

/** Postgres and Temporal as `npm start` runs them, and processes of the service on top; all in one temporary folder. */
export class TestBed {
  private readonly children = new Set<Child>();
  private dataFolders = 0;

  private constructor(
    readonly folder: string,
    private readonly postgres: PostgresServer,
    private readonly temporal: TemporalServer,
  ) {}

  static async start(progress: (text: string) => void): Promise<TestBed> {
    const folder = makeBenchFolder();
    const binary = await ensureTemporalBinary(progress);
    const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), progress });
    const dataDir = join(folder, 'temporal');
    const temporal = await startTemporal({
      binary,
      dataDir,
      uiPort: null,
      searchAttributes: SEARCH_ATTRIBUTES,
      progress,
    });
    return new TestBed(folder, postgres, temporal);
  }

  startSandbox(validators: number, options: readonly string[] = []): Promise<Child> {
    const args = ['--validators', String(validators), '--port', '0', ...options];
    return this.start({ name: 'sandbox', entry: 'dist/bundled/sandbox/main.js', args });
  }

  /** The recommended topology: an API that serves the signatures itself. With a data folder of its own, as if it were new. */
  startService(nodeUrl: string, { env, ...service }: Service = {}): Promise<Child> {
    const all = { ...service, env: { API_WORKER_QUEUES: 'signatures', ...env } };
    return this.startPart({ name: 'service', entry: 'dist/bundled/src/main.js' }, nodeUrl, all);
  }

  /** The same, with a port for its metrics. */
  async startMonitoredService(nodeUrl: string, env: Environment = {}): Promise<MonitoredChild> {
    const address = `127.0.0.1:${await freePort()}`;
    const child = await this.startService(nodeUrl, { env: { ...env, METRICS_ADDRESS: address } });
    const metrics = async (): Promise<string> => (await fetch(`http://${address}/metrics`)).text();
    return Object.assign(child, { metrics });
  }

  /** For code that is not to find another one's tables. @returns its URL */
  async createDatabase(name: string): Promise<string> {
    const client = new pg.Client({ connectionString: this.postgres.url });
    await client.connect();
    await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`);
    await client.end();
    const url = new URL(this.postgres.url);
    url.pathname = `/${name}`;
    return url.href;
  }

  /** An API whose work others do. */
  startApi(nodeUrl: string, service: Service = {}): Promise<Child> {
    return this.startPart({ name: 'api', entry: 'dist/bundled/src/main.js' }, nodeUrl, service);
  }

  startWorker(nodeUrl: string, service: Service = {}): Promise<Child> {
    return this.startPart({ ...WORKER, nodeOptions: WORKER_NODE_OPTIONS }, nodeUrl, service);
  }

  /** With a URL that serves how many statements it has sent to Postgres. */
  async startCountedWorker(nodeUrl: string, { env, ...service }: Service): Promise<Child> {
    const port = await freePort();
    const counter = pathToFileURL(join(projectFolder(), 'test/bench/count-statements.mjs')).href;
    const worker = await this.startPart(
      { ...WORKER, nodeOptions: [...WORKER_NODE_OPTIONS, '--import', counter] },
      nodeUrl,
      { ...service, env: { ...env, BENCH_STATEMENTS_PORT: String(port) } },
    );
    worker.url = `http://127.0.0.1:${port}`;
    return worker;
  }

  startSelectOneApi(nodeUrl: string): Promise<Child> {
    const env = this.environment(nodeUrl);
    return this.start({ name: 'select one', entry: 'dist/test-programs/bench/select-one-api.js', env });
  }

  startInMemoryAggregator(nodeUrl: string): Promise<Child> {
    return this.start({
      name: 'in memory',
      entry: 'dist/test-programs/bench/in-memory-aggregator.js',
      args: [nodeUrl],
    });
  }

  startEmptyWorkflow(part: 'worker' | 'client'): Promise<Child> {
    const entry = `dist/test-programs/bench/empty-workflow/${part}.js`;
    return this.start({
      name: `empty workflow ${part}`,
      entry,
      env: { TEMPORAL_ADDRESS: this.temporal.address },
    });
  }

  async stopChild(child: Child): Promise<void> {
    this.children.delete(child);
    await child.stop();
  }

  /** The newest first: whoever uses something ends before it. */
  async stop(): Promise<void> {
    for (const child of [...this.children].reverse()) await this.stopChild(child);
    await Promise.all([this.temporal.stop(), this.postgres.stop()]);
  }

  private startPart(
    part: { name: string; entry: string; nodeOptions?: readonly string[] },
    nodeUrl: string,
    { project, databaseUrl, env: more }: Service,
  ): Promise<Child> {
    const env = {
      ...this.environment(nodeUrl),
      ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
      ...more,
    };
    return this.start({ ...part, env, ...(project && { project }) });
  }

  private async start(options: {
    name: string;
    entry: string;
    args?: readonly string[];
    nodeOptions?: readonly string[];
    env?: Environment;
    project?: string;
  }): Promise<Child> {
    const child = await startChild({ folder: this.folder, ...options });
    this.children.add(child);
    return child;
  }

  private environment(nodeUrl: string): Environment {
    this.dataFolders += 1;
    return {
      DATABASE_URL: this.postgres.url,
      TEMPORAL_ADDRESS: this.temporal.address,
      FUJI_NODE_URL: nodeUrl,
      EVM_CHAINS_FILE: 'test/support/evm/no-evm-chains.json',
      SANDBOX_NETWORKS: 'fuji',
      DATA_DIR: join(this.folder, `data-${this.dataFolders}`),
      PORT: '0',
      ...SMALL_ENVIRONMENT,
    };
  }
}
