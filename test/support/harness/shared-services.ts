import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { runMigrations } from '../../../src/platform/database/data-source.js';
import { startPostgres } from '../../../sandbox/local/postgres-server.js';
import { ensureTemporalBinary } from '../../../sandbox/local/temporal-binary.js';
import { startTemporal } from '../../../sandbox/local/temporal-server.js';
import { SEARCH_ATTRIBUTES } from '../../../workflows/contracts/search-attributes.js';
import { ENV, TEMPLATE_DATABASE } from './env.js';
import {
  folderOfRuns,
  killRegisteredProcesses,
  registerOwner,
  registerProcess,
  sweepAbandonedRuns,
  TEST_FOLDER_PREFIX,
} from './process-register.js';
import { patientDataSource } from './data-source-options.js';

/** Nothing of a test run outlives it, so nothing needs to reach the disk; many spec files are connected at once. */
const FAST_SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '300',
};

/** Starts what all spec files of a run share; answers the function that ends it. */
export async function startTestServices(): Promise<() => Promise<void>> {
  sweepAbandonedRuns();
  const folder = mkdtempSync(join(folderOfRuns(), TEST_FOLDER_PREFIX));
  chmodSync(folder, 0o755); // Postgres runs as another user when this is root
  registerOwner(folder);
  const progress = (text: string): void => console.log(text);
  const [postgres, temporal] = await Promise.all([
    startPostgres({ dataDir: join(folder, 'postgres'), settings: FAST_SETTINGS, progress }),
    ensureTemporalBinary(progress).then(async (binary) => {
      const dataDir = join(folder, 'temporal');
      const searchAttributes = SEARCH_ATTRIBUTES;
      return {
        binary,
        server: await startTemporal({ binary, dataDir, uiPort: null, searchAttributes, progress }),
      };
    }),
  ]);
  await createTemplate(postgres.url);
  for (const { pid } of [postgres, temporal.server]) registerProcess(folder, pid);
  process.env[ENV.folder] = folder;
  process.env[ENV.postgresUrl] = postgres.url;
  process.env[ENV.temporalAddress] = temporal.server.address;
  process.env[ENV.temporalBinary] = temporal.binary;
  return async () => {
    await Promise.all([temporal.server.stop(), postgres.stop()]);
    killRegisteredProcesses(folder);
    postgres.removeData();
    rmSync(folder, { recursive: true, force: true });
  };
}

/** All tables, once: a copy takes a fiftieth of the time of the migrations. */
async function createTemplate(postgresUrl: string): Promise<void> {
  const server = await new DataSource(patientDataSource({ url: postgresUrl, poolSize: 1 })).initialize();
  await server.query(`CREATE DATABASE ${TEMPLATE_DATABASE}`);
  await server.destroy();
  const url = new URL(postgresUrl);
  url.pathname = TEMPLATE_DATABASE;
  const template = await new DataSource(patientDataSource({ url: url.href, poolSize: 2 })).initialize();
  await runMigrations(template);
  await template.destroy();
}
