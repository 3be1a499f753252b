import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rename, stat, unlink, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

/** More workers on one data folder than this is a mistake. */
const MAX_SLOTS = 64;

/** A holder on another machine that shares the folder cannot be looked at: it lives as long as it renews its lock. */
const RENEW_INTERVAL_MS = 15_000;
const LEASE_MS = 90_000;

/** Locks that this process has or is about to take. A process that was killed may have had the same id: in a container it is mostly 1. */
const own = new Set<string>();

export interface IdentitySlot {
  readonly number: number;
  release(): Promise<void>;
}

/**
 * Takes the lowest free number of a data folder. Nodes keep one connection per node id, so each worker process needs a p2p
 * identity of its own, and the same one again after a restart: the identity belongs to the slot, the slot to a living process.
 * Machines and containers may share the folder.
 */
export async function takeIdentitySlot(dir: string): Promise<IdentitySlot> {
  await mkdir(dir, { recursive: true });
  for (let number = 0; number < MAX_SLOTS; number++) {
    const path = join(dir, `slot-${number}.lock`);
    if (await tryLock(path)) return hold(path, number);
  }
  throw new Error(`${MAX_SLOTS} workers already use ${dir}; give each its own DATA_DIR`);
}

function hold(path: string, number: number): IdentitySlot {
  const renew = (): void => void utimes(path, new Date(), new Date()).catch(() => undefined);
  const timer = setInterval(renew, RENEW_INTERVAL_MS).unref();
  return {
    number,
    release: async () => {
      clearInterval(timer);
      own.delete(path);
      await unlink(path).catch(() => undefined);
    },
  };
}

async function tryLock(path: string): Promise<boolean> {
  if (own.has(path)) return false;
  own.add(path);
  const isTaken =
    (await createLock(path)) ||
    (!(await isHeld(path)) && (await removeStaleLock(path)) && (await createLock(path)));
  if (!isTaken) own.delete(path);
  return isTaken;
}

/** Complete or not at all: a lock that is there but does not name its holder yet would look stale to others. */
async function createLock(path: string): Promise<boolean> {
  const temporary = `${path}.${process.pid}.${randomUUID()}`;
  await writeFile(temporary, `${process.pid} ${hostname()}`);
  try {
    await link(temporary, path);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    await unlink(temporary);
  }
}

/** Of several processes that find the lock of a killed one, only one moves it away; false if it was another process's new lock. */
async function removeStaleLock(path: string): Promise<boolean> {
  const moved = `${path}.${process.pid}.${randomUUID()}`;
  try {
    await rename(path, moved);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return true;
    throw error;
  }
  const isStale = !(await isHeld(moved));
  if (!isStale) await link(moved, path).catch(() => undefined);
  await unlink(moved);
  return isStale;
}

/** A lock that names no machine is one of ours. */
async function isHeld(path: string): Promise<boolean> {
  const [pid, host = hostname()] = (await readFile(path, 'utf8').catch(() => '')).split(' ');
  return host === hostname() ? isAlive(Number(pid)) : isFresh(path);
}

async function isFresh(path: string): Promise<boolean> {
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: 0 }));
  return Date.now() - mtimeMs < LEASE_MS;
}

function isAlive(pid: number): boolean {
  // Not one of the locks that we hold, so our predecessor of the same id made it.
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}

function hasCode(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}
