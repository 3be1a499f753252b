import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import { idToString } from '../../../src/avalanche/ids/id.js';
import type { SpawnedProcess } from '../harness/processes.js';
import { createTestFolder } from '../harness/services.js';
import { startServerProcess } from './server-process.js';

export interface Answer {
  status: number;
  contentType: string | null;
  /** Seconds, as in the header. */
  retryAfter: string | null;
  body: unknown;
}

export interface OperationsApiOptions {
  temporalAddress: string;
  /** That of another one; a new one when left out. */
  databaseUrl?: string;
  env?: Record<string, string | undefined>;
}

/** EVM chains that can be asked for; nobody connects to their nodes. */
const CHAINS = [
  { network: 'mainnet', chainId: '43114', name: 'C-Chain' },
  { network: 'fuji', chainId: '43113', name: 'Fuji C-Chain' },
  { network: 'fuji', chainId: '99999', name: 'An L1' },
].map((chain, i) => ({
  ...chain,
  blockchainId: idToString(Buffer.alloc(32, i)),
  rpcUrls: ['http://127.0.0.1:9/rpc'],
  startHeight: 'tip',
  nativeSymbol: 'AVAX',
  nativeDecimals: 18,
}));

/** The API as a process, over a migrated database of its own; without any worker. */
export class OperationsApi {
  private constructor(
    readonly url: string,
    readonly databaseUrl: string,
    readonly dataSource: DataSource,
    private readonly process: SpawnedProcess,
  ) {}

  static async start(options: OperationsApiOptions): Promise<OperationsApi> {
    const { temporalAddress, env = {} } = options;
    const folder = createTestFolder('operations');
    const chainsFile = join(folder, 'evm-chains.json');
    writeFileSync(chainsFile, JSON.stringify({ chains: CHAINS }));
    const { url, databaseUrl, dataSource, process } = await startServerProcess({
      name: `api ${randomUUID().slice(0, 4)}`,
      entry: 'dist/bundled/src/main.js',
      databaseUrl: options.databaseUrl,
      env: {
        TEMPORAL_ADDRESS: temporalAddress,
        // A worker that stands still must not count as dead: its turn would be counted twice.
        WORKER_SILENCE_MS: '10000',
        EVM_CHAINS_FILE: chainsFile,
        DATA_DIR: join(folder, 'data'),
        PORT: '0',
        ...env,
      },
    });
    return new OperationsApi(url, databaseUrl, dataSource, process);
  }

  /** All that it has printed. */
  get output(): string {
    return this.process.output;
  }

  /** As an operator's signal does. */
  stop(): Promise<void> {
    return this.process.stop();
  }

  export(body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.request('/v1/operations/transactions:export', {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
    });
  }

  get(operationId: string): Promise<Answer> {
    return this.request(`/v1/operations/${operationId}`);
  }

  async request(path: string, init: RequestInit = {}): Promise<Answer> {
    const response = await fetch(`${this.url}${path}`, init);
    const body: unknown = JSON.parse(await response.text());
    return {
      status: response.status,
      contentType: response.headers.get('content-type'),
      retryAfter: response.headers.get('retry-after'),
      body,
    };
  }
}
