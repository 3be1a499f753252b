import { resolve } from 'node:path';
import { parseArgs, type ParseArgsConfig } from 'node:util';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { findRunningPostgres } from '../sandbox/local/postgres-server.js';
import { parseVariables } from './platform/config/parse-settings.js';
import { projectFolder } from './platform/config/project-folder.js';
import { dataSourceOptions, openDataSource, runMigrations } from './platform/database/data-source.js';
import { UnfitDatabaseError } from './platform/database/unfit-database.js';
import { ApiError } from './platform/http/errors/api-error.js';

/** Its message is for the person at the terminal. */
export class UsageError extends Error {}

/** The arguments that a command was given. Ends the process with the usage where they cannot be read. */
export function readArguments<const Options extends NonNullable<ParseArgsConfig['options']>>(
  options: Options,
  usage: string,
) {
  try {
    return parseArgs({ allowPositionals: true, options });
  } catch (error) {
    return endWith(error instanceof Error ? `${error.message}\n${usage}` : usage);
  }
}

/** Runs an operator's command on the service's database, and prints its result as JSON. `refusals`: more errors that are for people. */
export async function runCommand(
  { entities, refusals = [] }: { entities: (new () => object)[]; refusals?: readonly (new () => Error)[] },
  run: (dataSource: DataSource, url: string) => Promise<unknown>,
): Promise<void> {
  const url = databaseUrl();
  const dataSource = await openDataSource(dataSourceOptions({ url, poolSize: 2, entities }));
  try {
    await runMigrations(dataSource);
    console.log(JSON.stringify(await run(dataSource, url), bigintsAsText, 2));
  } catch (error) {
    const kinds = [ApiError, UsageError, UnfitDatabaseError, ...refusals];
    if (!(error instanceof Error) || !kinds.some((kind) => error instanceof kind)) throw error;
    console.error(error.message);
    process.exitCode = 2;
  } finally {
    await dataSource.destroy();
  }
}

const PlaceSchema = z.object({ DATABASE_URL: z.string().optional(), DATA_DIR: z.string().default('.data') });

/** That of DATABASE_URL, or of the service that `npm start` runs here. */
function databaseUrl(): string {
  const { DATABASE_URL, DATA_DIR } = parseVariables(PlaceSchema, process.env);
  return (
    DATABASE_URL ??
    findRunningPostgres(resolve(projectFolder(), DATA_DIR, 'postgres')) ??
    endWith('no database: set DATABASE_URL, or start the service here with npm start')
  );
}

function bigintsAsText(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}

function endWith(message: string): never {
  console.error(message);
  process.exit(2);
}
