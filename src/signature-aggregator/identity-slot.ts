import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** More workers on one data folder than this is a mistake. */
const MAX_SLOTS = 64;

export interface IdentitySlot {
  readonly number: number;
  release(): Promise<void>;
}

/**
 * Takes the lowest free number of a data folder. Nodes keep one connection per node id, so each worker process needs a p2p
 * identity of its own, and the same one again after a restart: the identity belongs to the slot, the slot to a living process.
 */
export async function takeIdentitySlot(dir: string): Promise<IdentitySlot> {
  await mkdir(dir, { recursive: true });
  for (let number = 0; number < MAX_SLOTS; number++) {
    const path = join(dir, `slot-${number}.lock`);
    if (await tryLock(path)) return { number, release: () => unlink(path).catch(() => undefined) };
  }
  throw new Error(`${MAX_SLOTS} workers already use ${dir}; give each its own DATA_DIR`);
}

async function tryLock(path: string): Promise<boolean> {
  if (await createLock(path)) return true;
  if (isAlive(await holderOf(path))) return false;
  return (await removeStaleLock(path)) && createLock(path);
}

/** Complete or not at all: a lock that is there but does not name its holder yet would look stale to others. */
async function createLock(path: string): Promise<boolean> {
  const temporary = `${path}.${process.pid}.${randomUUID()}`;
  await writeFile(temporary, String(process.pid));
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

/** Of several processes that find the lock of a killed one, only one moves it away; false when it was somebody's new lock. */
async function removeStaleLock(path: string): Promise<boolean> {
  const moved = `${path}.${process.pid}.${randomUUID()}`;
  try {
    await rename(path, moved);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return true;
    throw error;
  }
  const isStale = !isAlive(await holderOf(moved));
  if (!isStale) await link(moved, path).catch(() => undefined);
  await unlink(moved);
  return isStale;
}

async function holderOf(path: string): Promise<number> {
  return Number(await readFile(path, 'utf8').catch(() => ''));
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
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
