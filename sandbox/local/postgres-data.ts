import { createHash, randomBytes } from 'node:crypto';
import {
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { PostgresBinaries } from './postgres-binaries.js';
import type { Progress } from './processes/progress.js';
import { canReach, type SystemUser } from './processes/system-user.js';
import { SHARED_FOLDER } from './postgres-binaries.js';

export const POSTGRES_USER = 'nds';

const PASSWORD_BYTES = 24;
const MARKER_FILE = 'moved-to.txt';

export interface PostgresFolders {
  /** Of the server's user; holds the two below. */
  base: string;
  data: string;
  passwordFile: string;
}

/** Where this server's files are: in the wanted folder, unless the server has to run as a user who cannot get there. */
export function prepareFolders(
  wanted: string,
  user: SystemUser | undefined,
  progress: Progress,
): PostgresFolders {
  mkdirSync(dirname(wanted), { recursive: true });
  mkdirSync(wanted, { recursive: true, mode: 0o700 });
  if (user === undefined) return foldersIn(wanted);
  const marker = join(wanted, MARKER_FILE);
  if (!existsSync(marker) && canReach(user, dirname(wanted))) {
    chownSync(wanted, user.uid, user.gid);
    return foldersIn(wanted);
  }
  return foldersIn(prepareFolderOutside({ wanted, marker, user, progress }));
}

/** Of a server that was started earlier, for code that does not start one. */
export function findFolders(wanted: string): PostgresFolders {
  const marker = join(wanted, MARKER_FILE);
  return foldersIn(existsSync(marker) ? readFileSync(marker, 'utf8').trim() : wanted);
}

function foldersIn(base: string): PostgresFolders {
  return { base, data: join(base, 'data'), passwordFile: join(base, 'password') };
}

/**
 * The data of a checkout that only root can enter, in a folder outside of it. The marker in the wanted folder belongs to
 * it: where that is gone, its owner has thrown the data away, and what is left outside must not come back to life.
 */
function prepareFolderOutside(options: {
  wanted: string;
  marker: string;
  user: SystemUser;
  progress: Progress;
}): string {
  const { wanted, marker, user, progress } = options;
  const hash = createHash('sha256').update(resolve(wanted)).digest('hex').slice(0, 12);
  const outside = join(SHARED_FOLDER, `network-data-service-${hash}`);
  if (!existsSync(marker) && existsSync(outside)) rmSync(outside, { recursive: true });
  if (!existsSync(outside)) {
    mkdirSync(outside, { mode: 0o700 });
    chownSync(outside, user.uid, user.gid);
  }
  assertPrivate(outside, user);
  writeFileSync(marker, `${outside}\n`);
  progress(`user ${user.name} cannot reach ${wanted}: the Postgres data is in ${outside}`);
  return outside;
}

function assertPrivate(folder: string, user: SystemUser): void {
  const stats = lstatSync(folder);
  if (!stats.isDirectory() || stats.uid !== user.uid || (stats.mode & 0o077) !== 0) {
    throw new Error(`${folder} does not belong to user ${user.name} alone: remove it and start again`);
  }
}

/** Removes everything, also where the data had to be put outside. */
export function removeFolders(wanted: string, folders: PostgresFolders): void {
  rmSync(folders.base, { recursive: true, force: true });
  rmSync(wanted, { recursive: true, force: true });
}

/** The password of this data folder, made at its first use. Loopback is open to every user of the machine. */
export function loadOrCreatePassword(folders: PostgresFolders, user: SystemUser | undefined): string {
  if (!existsSync(folders.passwordFile)) {
    const temporary = `${folders.passwordFile}.new`;
    writeFileSync(temporary, randomBytes(PASSWORD_BYTES).toString('hex'), { mode: 0o600 });
    if (user !== undefined) chownSync(temporary, user.uid, user.gid);
    renameSync(temporary, folders.passwordFile);
  }
  return readFileSync(folders.passwordFile, 'utf8').trim();
}

/** Creates the database cluster unless it is there. In a folder of its own first: half of one must not be taken for one. */
export async function initialiseCluster(
  folders: PostgresFolders,
  binaries: PostgresBinaries,
  user: SystemUser | undefined,
): Promise<void> {
  if (existsSync(join(folders.data, 'PG_VERSION'))) return;
  const fresh = `${folders.data}.new`;
  rmSync(fresh, { recursive: true, force: true });
  const args = [
    `--pgdata=${fresh}`,
    `--username=${POSTGRES_USER}`,
    `--pwfile=${folders.passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--no-instructions',
  ];
  const env = { ...process.env, LC_ALL: 'C' };
  await promisify(execFile)(binaries.initdb, args, { cwd: folders.base, env, ...ids(user) });
  renameSync(fresh, folders.data);
}

export function ids(user: SystemUser | undefined): { uid: number; gid: number } | undefined {
  return user === undefined ? undefined : { uid: user.uid, gid: user.gid };
}
