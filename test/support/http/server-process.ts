import { DataSource } from 'typeorm';
import { runMigrations } from '../../../src/platform/database/data-source.js';
import { type SpawnedProcess, spawnProcess } from '../harness/processes.js';
import { onCleanup } from '../harness/cleanup.js';
import { createTestDatabase } from '../harness/services.js';
import { ENTITIES } from '../entities.js';
import { patientDataSource } from '../harness/data-source-options.js';

const START_TIMEOUT_MS = 300_000;

export interface ServerOptions {
  /** How failures call it. */
  readonly name: string;
  /** A built program. It sends its parent a message with its `url`. */
  readonly entry: string;
  /** That of another server; a new one when left out. */
  readonly databaseUrl?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface ServerProcess {
  readonly url: string;
  readonly databaseUrl: string;
  readonly dataSource: DataSource;
  readonly process: SpawnedProcess;
}

/** Starts a server as a process over a migrated database. */
export async function startServerProcess({
  name,
  entry,
  env,
  ...options
}: ServerOptions): Promise<ServerProcess> {
  const databaseUrl = options.databaseUrl ?? (await createTestDatabase()).url;
  const dataSource = await new DataSource(
    patientDataSource({ url: databaseUrl, poolSize: 2, entities: ENTITIES }),
  ).initialize();
  onCleanup(() => dataSource.destroy());
  await runMigrations(dataSource);
  const process = await spawnProcess({
    name,
    entry,
    env: {
      DATABASE_URL: databaseUrl,
      LOG_LEVEL: 'warn',
      LIST_MAX_LAG_SECONDS: '0', // no index runs beside it
      ...env,
    },
  });
  return { url: await process.waitForMessage(urlIn, START_TIMEOUT_MS), databaseUrl, dataSource, process };
}

function urlIn(message: unknown): string | undefined {
  if (typeof message !== 'object' || message === null || !('url' in message)) return undefined;
  return typeof message.url === 'string' ? message.url : undefined;
}
