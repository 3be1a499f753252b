import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, readlink, rename, stat, unlink, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { readProcessIdentity } from '../../../platform/config/process-identity.js';

/** More workers on one data folder than this is a mistake. */
const MAX_SLOTS = 64;

/** A holder that cannot be looked at, on another machine or in another container, lives as long as it renews its lock. */
const RENEW_INTERVAL_MS = 5_000;
const LEASE_MS = 90_000;
/** Of these intervals: a living holder renews its lock within. */
const WATCHED_INTERVALS = 2.5;
const LOOKS = 10;

/** Locks that this process has or is about to take. */
const own = new Set<string>();

/** `space`: what its process id is valid in, such as a container; `identity`: distinguishes it from a later process of the same id. */
const HolderSchema = z.object({
  pid: z.number(),
  host: z.string(),
  space: z.string().optional(),
  identity: z.string().optional(),
});
type Holder = z.output<typeof HolderSchema>;

export interface IdentitySlot {
  readonly number: number;
  release(): Promise<void>;
}

/**
 * Takes the lowest free number of a data folder. Nodes keep one connection per node id, so each worker process needs a p2p
 * identity of its own, and the same one again after a restart: the identity belongs to the slot, the slot to a living process.
 * Machines and containers may share the folder. After a container's crash it takes a moment to see that nobody renews its lock.
 */
export async function takeIdentitySlot(
  dir: string,
  { renewIntervalMs = RENEW_INTERVAL_MS } = {},
): Promise<IdentitySlot> {
  await mkdir(dir, { recursive: true });
  for (let number = 0; number < MAX_SLOTS; number++) {
    const path = join(dir, `slot-${number}.lock`);
    if (await tryLock(path, renewIntervalMs)) return hold(path, number, renewIntervalMs);
  }
  throw new Error(`${MAX_SLOTS} workers already use ${dir}; give each its own DATA_DIR`);
}

function hold(path: string, number: number, renewIntervalMs: number): IdentitySlot {
  const renew = (): void => void utimes(path, new Date(), new Date()).catch(() => undefined);
  const timer = setInterval(renew, renewIntervalMs).unref();
  return {
    number,
    release: async () => {
      clearInterval(timer);
      own.delete(path);
      await unlink(path).catch(() => undefined);
    },
  };
}

async function tryLock(path: string, renewIntervalMs: number): Promise<boolean> {
  if (own.has(path)) return false;
  own.add(path);
  let isTaken = false;
  try {
    isTaken = (await createLock(path)) || (await replaceStaleLock(path, renewIntervalMs));
  } finally {
    if (!isTaken) own.delete(path);
  }
  return isTaken;
}

async function replaceStaleLock(path: string, renewIntervalMs: number): Promise<boolean> {
  const found = await readFile(path, 'utf8').catch(() => '');
  if (await isHeld(path, parseHolder(found), renewIntervalMs)) return false;
  return (await removeStaleLock(path, found)) && createLock(path);
}

/** Complete or not at all: a lock that is there but does not name its holder yet would look stale to others. */
async function createLock(path: string): Promise<boolean> {
  const temporary = `${path}.${process.pid}.${randomUUID()}`;
  const { pid } = process;
  const holder = { pid, host: hostname(), space: await ownSpace(), identity: readProcessIdentity(pid) };
  try {
    await writeFile(temporary, JSON.stringify(holder));
    await link(temporary, path);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    await unlink(temporary).catch(() => undefined);
  }
}

/**
 * Of several processes that find the lock of a killed one, only one moves it away. `found`: what was judged to be stale; false if there is
 * another lock by now, that of a process which was quicker.
 */
async function removeStaleLock(path: string, found: string): Promise<boolean> {
  const moved = `${path}.${process.pid}.${randomUUID()}`;
  try {
    await rename(path, moved);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return true;
    throw error;
  }
  const isSame = (await readFile(moved, 'utf8')) === found;
  if (!isSame) await link(moved, path).catch(() => undefined);
  await unlink(moved);
  return isSame;
}

async function isHeld(path: string, holder: Holder | undefined, renewIntervalMs: number): Promise<boolean> {
  if (holder === undefined) return false;
  if (holder.host !== hostname()) return Date.now() - (await renewedAt(path)) < LEASE_MS;
  if (holder.space === (await ownSpace())) return isAlive(holder);
  return isRenewed(path, renewIntervalMs);
}

function parseHolder(text: string): Holder | undefined {
  try {
    return HolderSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** By its id where the system reports no more. */
function isAlive({ pid, identity }: Holder): boolean {
  if (identity !== undefined) return readProcessIdentity(pid) === identity;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}

async function isRenewed(path: string, renewIntervalMs: number): Promise<boolean> {
  const before = await renewedAt(path);
  if (Date.now() - before >= LEASE_MS) return false;
  for (let look = 0; look < LOOKS; look++) {
    await delay((WATCHED_INTERVALS * renewIntervalMs) / LOOKS);
    if ((await renewedAt(path)) !== before) return true;
  }
  return false;
}

async function renewedAt(path: string): Promise<number> {
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: 0 }));
  return mtimeMs;
}

/** Linux' name of the space of process ids: each container has its own, in which its first process is 1. */
function ownSpace(): Promise<string | undefined> {
  return readlink('/proc/self/ns/pid').catch(() => undefined);
}

function hasCode(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}
