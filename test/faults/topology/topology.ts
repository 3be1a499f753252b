import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PostgresServer, startPostgres } from '../../../sandbox/local/postgres-server.js';
import { ensureTemporalBinary } from '../../../sandbox/local/temporal-binary.js';
import { startTemporal, type TemporalServer } from '../../../sandbox/local/temporal-server.js';
import { SEARCH_ATTRIBUTES } from '../../../workflows/contracts/search-attributes.js';
import type { Environment } from '../../bench/child.js';
import type { Random } from '../../../sandbox/generated/evm-chain-generator.js';
import {
  killRegisteredProcesses,
  registerOwner,
  registerProcess,
  sweepAbandonedRuns,
} from '../../support/harness/process-register.js';
import { makeRestartable, type RestartableServer } from '../../support/harness/restartable-server.js';
import { FarNetworks } from './far-networks.js';
import { type MadeChain, type MadeChains, makeChains } from './made-chains.js';
import { ServiceProcess, type Version } from './service-process.js';
import { SmallDisk, unmountAllIn } from './small-disk.js';

const FOLDER_PREFIX = 'nds-faults-';
const DATABASE_DISK_MIB = 1_024;
const EXPORT_DISK_MIB = 2_048;
const WORKERS = [
  { name: 'worker 1', queues: 'indexing,exports,nfts' },
  { name: 'worker 2', queues: 'indexing,exports,nfts' },
  { name: 'worker 3', queues: 'signatures,indexing,exports,nfts' },
] as const;
const APIS = ['api 1', 'api 2'] as const;

export interface TopologyOptions {
  readonly seed: number;
  /** Of each EVM chain: what it has at its start and what comes. */
  readonly blocks: number;
  readonly random: Random;
  /** One API process and two workers. */
  readonly isSmall: boolean;
  readonly internet: boolean;
  readonly version: Version;
  readonly print: (text: string) => void;
  /** More environment of the service's processes. */
  readonly env?: Environment;
  /** Output of a process of the service. */
  readonly onMessage?: (process: string, message: unknown) => void;
}

/** All that a deployment has, each part a process of its own: APIs, workers, Postgres, Temporal, and networks far away. */
export class Topology {
  private constructor(
    readonly folder: string,
    readonly chains: MadeChains,
    readonly networks: FarNetworks,
    readonly disks: { readonly database: SmallDisk; readonly exports: SmallDisk },
    readonly postgres: RestartableServer<PostgresServer>,
    readonly temporal: RestartableServer<TemporalServer>,
    readonly apis: readonly ServiceProcess[],
    readonly workers: readonly ServiceProcess[],
  ) {}

  static async start(options: TopologyOptions): Promise<Topology> {
    const { seed, blocks, random, isSmall, internet, print } = options;
    sweepAbandonedRuns(FOLDER_PREFIX, unmountAllIn);
    const folder = mkdtempSync(join(tmpdir(), FOLDER_PREFIX));
    chmodSync(folder, 0o755); // Postgres runs as another user when this is root
    registerOwner(folder);
    const onStarted = (pid: number): void => registerProcess(folder, pid);
    print(`making ${blocks} blocks of each EVM chain`);
    const chains = makeChains({ seed, blocks });
    const networks = await FarNetworks.start({ folder, chains, random, internet });
    const disks = {
      database: SmallDisk.create(join(folder, 'database-disk'), DATABASE_DISK_MIB),
      exports: SmallDisk.create(join(folder, 'export-disk'), EXPORT_DISK_MIB),
    };
    print('starting Postgres and Temporal');
    const postgres = await makeRestartable(
      (port?: number) => startPostgres({ dataDir: join(disks.database.folder, 'postgres'), port }),
      ({ pid }) => onStarted(pid),
    );
    const binary = await ensureTemporalBinary(print);
    const temporal = await makeRestartable(
      (port?: number) =>
        startTemporal({
          binary,
          dataDir: join(folder, 'temporal'),
          port,
          uiPort: null,
          searchAttributes: SEARCH_ATTRIBUTES,
        }),
      ({ pid }) => onStarted(pid),
    );
    const chainsFile = join(folder, 'evm-chains.json');
    writeFileSync(chainsFile, chainsAsConfigured(chains, networks));
    const env: Environment = {
      DATABASE_URL: postgres.current.url,
      TEMPORAL_ADDRESS: temporal.current.address,
      FUJI_NODE_URL: networks.urls.node,
      SANDBOX_NETWORKS: 'fuji',
      EVM_CHAINS_FILE: chainsFile,
      EXPORT_STORAGE_URL: join(disks.exports.folder, 'exports'),
      RATE_LIMITS: 'true',
      ACCESS_LOG: 'false',
      LOG_LEVEL: 'warn',
      // A test's run: on its busy machine a node that stands still for some seconds is no fault.
      ...(isSmall ? { NODE_TIMEOUT_MS: '20000' } : {}),
      ...options.env,
    };
    const create = (name: string, kind: 'api' | 'worker', queues: Environment): Promise<ServiceProcess> =>
      ServiceProcess.create({
        name,
        kind,
        folder,
        env: { ...env, ...queues, DATA_DIR: join(folder, name.replaceAll(' ', '-')) },
        version: options.version,
        onStarted,
        ...(options.onMessage === undefined
          ? {}
          : { onMessage: (message: unknown) => options.onMessage?.(name, message) }),
      });
    const apis = await Promise.all(
      APIS.slice(isSmall ? 1 : 0).map((name) => create(name, 'api', { API_WORKER_QUEUES: 'signatures' })),
    );
    const workers = await Promise.all(
      WORKERS.slice(isSmall ? 1 : 0).map(({ name, queues }) =>
        create(name, 'worker', { WORKER_QUEUES: queues }),
      ),
    );
    print('starting the processes of the service');
    await Promise.all([...apis, ...workers].map((each) => each.start()));
    return new Topology(folder, chains, networks, disks, postgres, temporal, apis, workers);
  }

  /** All that belong to the service. */
  get processes(): readonly ServiceProcess[] {
    return [...this.apis, ...this.workers];
  }

  /** The newest first: whoever uses something ends before it. `keep` leaves the logs. */
  async stop({ keep }: { keep: boolean }): Promise<void> {
    await Promise.all(this.processes.map((each) => each.stop()));
    await this.networks.stop();
    await Promise.all([this.temporal.stop(), this.postgres.stop()]);
    killRegisteredProcesses(this.folder);
    for (const disk of [this.disks.database, this.disks.exports]) disk.remove();
    if (!keep) rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The file that `EVM_CHAINS_FILE` names. */
function chainsAsConfigured(chains: MadeChains, { urls }: FarNetworks): string {
  const entry = ({ chain, name, startHeight }: MadeChain, url: string): object => ({
    network: 'sandbox', // stands for the network that is simulated
    chainId: chain.chainId.toString(),
    blockchainId: chain.blockchainId,
    name,
    rpcUrls: [url],
    startHeight: String(startHeight),
    nativeSymbol: 'AVAX',
    nativeDecimals: 18,
  });
  return JSON.stringify({
    chains: [entry(chains.source, urls.source), entry(chains.destination, urls.destination)],
  });
}
