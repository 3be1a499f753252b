import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { type Agent, type IncomingHttpHeaders, request } from 'node:http';
import { crc32 } from 'node:zlib';
import type { DataSource } from 'typeorm';
import { ServiceSecrets } from '../../../src/platform/secrets/service-secrets.js';
import { compress } from '../../../src/exports/storage/gzip-stream.js';
import type { ExportStorage } from '../../../src/exports/storage/export-storage.js';
import { DownloadLinks } from '../../../src/resources/operations/download/download-links.js';
import type { SpawnedProcess } from '../harness/processes.js';
import { startServerProcess } from './server-process.js';
import { ServiceSecret } from '../../../src/platform/secrets/service-secret.entity.js';

export interface Download {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** Whether the connection ended before the answer did. */
  isCut: boolean;
}

export interface StoredFile {
  operationId: string;
  bytes: Buffer;
}

export interface GivenOperation {
  status?: string;
  expiresAt?: number;
  createdAt?: number;
  filesRemoved?: boolean;
}

/** The downloads as the API serves them (download-server.ts, a process), over a migrated database of their own. */
export class DownloadApi {
  private constructor(
    readonly dataSource: DataSource,
    readonly links: DownloadLinks,
    readonly url: string,
    private readonly server: SpawnedProcess,
  ) {}

  static async start(env: Record<string, string>): Promise<DownloadApi> {
    const entry = 'dist/test-programs/support/http/download-server.js';
    const { dataSource, url, process } = await startServerProcess({
      name: 'downloads',
      entry,
      env: { RATE_LIMITS: 'false', ...env },
    });
    const links = new DownloadLinks(new ServiceSecrets(dataSource.getRepository(ServiceSecret)));
    return new DownloadApi(dataSource, links, url, process);
  }

  get log(): string {
    return this.server.output;
  }

  /** Memory of the serving process, in bytes. */
  residentBytes(): number {
    const kilobytes = execFileSync('ps', ['-o', 'rss=', '-p', String(this.server.pid)], { encoding: 'utf8' });
    return Number(kilobytes) * 1024;
  }

  insert(
    storage: ExportStorage,
    pieces: readonly Buffer[],
    operation: GivenOperation = {},
  ): Promise<StoredFile> {
    return insertOperation(this.dataSource, storage, pieces, operation);
  }

  async makeUrl(operationId: string, expiresAt = inSeconds(3600)): Promise<string> {
    return (await this.links.makeUrls({ operationId, expiresAt, baseUrl: this.url })).file;
  }
}

/** An operation with a file; pieces without bytes have no key. */
export async function insertOperation(
  dataSource: DataSource,
  storage: ExportStorage,
  pieces: readonly Buffer[],
  options: GivenOperation,
): Promise<StoredFile> {
  const {
    status = 'COMPLETED',
    expiresAt = inSeconds(3600),
    createdAt = 1_700_000_000,
    filesRemoved = false,
  } = options;
  const operationId = randomUUID();
  const file = Buffer.concat(pieces);
  await dataSource.query(
    `INSERT INTO operations (operation_id, type, request_digest, request, status, message, row_count, byte_count,
       created_at, updated_at, expires_at, files_removed)
     VALUES ($1, 'TRANSACTION_EXPORT_EVM', '', '{}', $2, '', 0, $6, $3, $3, $4, $5)`,
    [operationId, status, createdAt, expiresAt, filesRemoved, file.length],
  );
  for (const [part, bytes] of pieces.entries()) {
    const key = bytes.length === 0 ? null : `${operationId}/${part}-abc`;
    const stored = await compress(bytes);
    if (key !== null) await storage.write(key, contentOf(stored));
    const state = part === pieces.length - 1 ? 'done' : 'more';
    const position = { state, crc: crc32(file) };
    await dataSource.query(
      `INSERT INTO export_parts (operation_id, part, storage_key, bytes, stored_bytes, rows, position_after)
       VALUES ($1, $2, $3, $4, $5, 0, $6)`,
      [operationId, part, key, bytes.length, stored.length, position],
    );
  }
  return { operationId, bytes: file };
}

export function inSeconds(seconds: number): number {
  return Math.floor(Date.now() / 1000) + seconds;
}

async function* contentOf(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield Promise.resolve(bytes);
}

/** As it comes: nothing is decompressed, redirected or retried. */
export function download(
  url: string,
  headers: Record<string, string> = {},
  method = 'GET',
  agent: Agent | false = false,
): Promise<Download> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers, method, agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', () => undefined);
      response.once('close', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks),
          isCut: !response.complete,
        }),
      );
    });
    sent.once('error', reject);
    sent.end();
  });
}
