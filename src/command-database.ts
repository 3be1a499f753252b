import { resolve } from 'node:path';
import { findRunningPostgres } from '../sandbox/local/postgres-server.js';
import { projectFolder } from './platform/config/project-folder.js';

/** The database that operators' commands work on: of DATABASE_URL, or of the service that `npm start` runs here. */
export function commandDatabaseUrl(): string {
  return (
    process.env.DATABASE_URL ??
    findRunningPostgres(resolve(projectFolder(), process.env.DATA_DIR ?? '.data', 'postgres')) ??
    endWith('no database: set DATABASE_URL, or start the service here with npm start')
  );
}

export function endWith(message: string): never {
  console.error(message);
  process.exit(2);
}
