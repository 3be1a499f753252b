import { get } from 'node:http';
import { ServiceSecrets } from '../../src/platform/secrets/service-secrets.js';
import type { DataSource } from 'typeorm';
import { DownloadLinks } from '../../src/resources/operations/download/download-links.js';
import { OperationRepository } from '../../src/resources/operations/operation.repository.js';
import { TRANSACTION_EXPORT_EVM } from '../../workflows/contracts/export-transactions.js';
import { startChild } from './child.js';
import { median } from './measure.js';
import { ServiceSecret } from '../../src/platform/secrets/service-secret.entity.js';
import { OperationEntity } from '../../src/resources/operations/operation.entities.js';

export interface FinishedExport {
  readonly operationId: string;
  readonly rows: number;
  readonly bytes: number;
}

export interface DownloadBench {
  readonly dataSource: DataSource;
  readonly databaseUrl: string;
  /** With the files of exports in `exports`. */
  readonly folder: string;
  readonly rounds: number;
  readonly log: (text: string) => void;
}

const DAY_SECONDS = 86_400;
const EXPIRES_AT = Math.floor(Date.now() / 1000) + DAY_SECONDS;
const MEGABYTE = 1024 * 1024;

/** How fast a file is sent, as CSV and as it is stored, beside a bare server of the same pieces in the same process. */
export async function benchDownloads(bench: DownloadBench, file: FinishedExport): Promise<string[]> {
  const { dataSource, folder } = bench;
  await recordEnd(dataSource, file);
  const api = await startChild({
    name: 'downloads',
    entry: 'dist/test-programs/bench/downloads-api.js',
    folder,
    env: {
      DATABASE_URL: bench.databaseUrl,
      EXPORT_STORAGE_URL: `${folder}/exports`,
      DATA_DIR: folder,
      LOG_LEVEL: 'warn',
    },
  });
  try {
    const links = new DownloadLinks(new ServiceSecrets(dataSource.getRepository(ServiceSecret)));
    const { operationId } = file;
    const { file: url } = await links.makeUrls({ operationId, expiresAt: EXPIRES_AT, baseUrl: api.url });
    const lines: string[] = [];
    for (const form of ['plain', 'gzip'] as const) {
      const bareUrl = `${api.url}/v1/bare/${form}/${operationId}`;
      lines.push(await compareDownloads(bench, { form, url, bareUrl }));
    }
    return [
      '| Download | Size | Service | Bare server | Service / bare |',
      '| --- | --- | --- | --- | --- |',
      ...lines,
    ];
  } finally {
    await api.stop();
  }
}

async function compareDownloads(
  { rounds, log }: DownloadBench,
  { form, url, bareUrl }: { form: 'plain' | 'gzip'; url: string; bareUrl: string },
): Promise<string> {
  const ours: Transfer[] = [];
  const bare: Transfer[] = [];
  for (let round = 0; round < rounds; round += 1) {
    ours.push(await download(url, form === 'gzip' ? 'gzip' : 'identity'));
    bare.push(await download(bareUrl, 'identity'));
    log(`download as ${form}, round ${round + 1}`);
  }
  const ratios = ours.map((transfer, round) => rateOf(transfer) / rateOf(bare[round] ?? transfer));
  const rate = (transfers: readonly Transfer[]): string =>
    `${Math.round(median(transfers.map(rateOf)))} MB/s`;
  const size = `${Math.round((ours[0]?.bytes ?? 0) / MEGABYTE)} MB`;
  const name = form === 'gzip' ? 'gzip, as it is stored' : 'CSV';
  return `| ${[name, size, rate(ours), rate(bare), `${median(ratios).toFixed(2)} ×`].join(' | ')} |`;
}

interface Transfer {
  readonly bytes: number;
  readonly elapsedMs: number;
}

/** Megabytes per second. */
function rateOf({ bytes, elapsedMs }: Transfer): number {
  return bytes / MEGABYTE / (elapsedMs / 1000);
}

function download(url: string, encoding: string): Promise<Transfer> {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    get(url, { headers: { 'accept-encoding': encoding } }, (response) => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => (bytes += chunk.length));
      response.once('error', reject);
      response.once('end', () => {
        if (response.statusCode === 200) resolve({ bytes, elapsedMs: performance.now() - startedAt });
        else reject(new Error(`HTTP ${response.statusCode} for ${url}`));
      });
    }).once('error', reject);
  });
}

/** Rows that the workflow leaves behind. */
async function recordEnd(dataSource: DataSource, file: FinishedExport): Promise<void> {
  const createdAt = EXPIRES_AT - DAY_SECONDS;
  await new OperationRepository(dataSource.getRepository(OperationEntity)).save({
    operationId: file.operationId,
    type: TRANSACTION_EXPORT_EVM,
    requestDigest: '00'.repeat(32),
    request: null,
    state: {
      status: 'COMPLETED',
      message: '',
      code: null,
      nextDate: null,
      rows: file.rows,
      bytes: file.bytes,
      createdAt,
      updatedAt: createdAt,
      expiresAt: EXPIRES_AT,
    },
  });
}
