import { mkdir, readFile, unlink, writeFile } from 'node:fs/promises';
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
  const holder = Number(await readFile(path, 'utf8').catch(() => ''));
  if (isAlive(holder)) return false;
  // Left by a killed process. Of several that find it, one creates the file again.
  await unlink(path).catch(() => undefined);
  return createLock(path);
}

async function createLock(path: string): Promise<boolean> {
  try {
    await writeFile(path, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
