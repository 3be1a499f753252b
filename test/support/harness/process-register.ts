import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readProcessIdentity } from '../../../src/platform/config/process-identity.js';

export const TEST_FOLDER_PREFIX = 'nds-test-';
const OWNER = 'owner';
const SHOWN_CHARACTERS = 150;

/** Of Linux: a file system in memory. Where containers have one, it is often small. */
const MEMORY = '/dev/shm';
const ENOUGH_BYTES = 8 * 2 ** 30;

/**
 * Where runs have their folders: in memory if there is plenty. A database of a test is a thousand files, which take eight times as long to
 * make on a disk.
 */
export function folderOfRuns(): string {
  if (!existsSync(MEMORY)) return tmpdir();
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize >= ENOUGH_BYTES ? MEMORY : tmpdir();
}

const folderOfPids = (testFolder: string): string => join(testFolder, 'pids');

/** Notes the process that runs the tests: once it is gone, what is left in the folder is nobody's any more. */
export function registerOwner(testFolder: string): void {
  writeFileSync(join(testFolder, OWNER), `${process.pid}\n${readProcessIdentity(process.pid) ?? ''}`);
}

/** Notes a process that a test run started, so that it is ended even if jest was killed before it could do that. */
export function registerProcess(testFolder: string, pid: number): void {
  const identity = readProcessIdentity(pid);
  if (identity === undefined) return;
  mkdirSync(folderOfPids(testFolder), { recursive: true });
  writeFileSync(join(folderOfPids(testFolder), String(pid)), identity);
}

/** Ends what is left, unless the process id belongs to another process by now. */
export function killRegisteredProcesses(testFolder: string): void {
  const folder = folderOfPids(testFolder);
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const pid = Number.parseInt(name, 10);
    const identity = readProcessIdentity(pid);
    if (identity === undefined || identity !== readFileSync(join(folder, name), 'utf8')) continue;
    console.error(`ending process ${pid}, which a test left behind: ${identity.slice(0, SHOWN_CHARACTERS)}`);
    killIfAlive(pid);
  }
}

/** It may end by itself in between. */
function killIfAlive(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error.code !== 'ESRCH') throw error;
  }
}

/** Tidies up after earlier runs that were killed; `release` sets free what else holds their folders. */
export function sweepAbandonedRuns(
  prefix = TEST_FOLDER_PREFIX,
  release: (folder: string) => void = () => undefined,
): void {
  // Also where there is no longer plenty: they may be why.
  const places = [...new Set([tmpdir(), MEMORY])].filter((place) => existsSync(place));
  const folders = places.flatMap((place) => readdirSync(place).map((name) => ({ name, place })));
  for (const { name, place } of folders) {
    if (!name.startsWith(prefix)) continue;
    const folder = join(place, name);
    if (!isAbandoned(folder)) continue;
    killRegisteredProcesses(folder);
    release(folder);
    rmSync(folder, { recursive: true, force: true });
  }
}

function isAbandoned(testFolder: string): boolean {
  try {
    const [pid = '', identity] = readFileSync(join(testFolder, OWNER), 'utf8').split('\n');
    return identity !== '' && readProcessIdentity(Number.parseInt(pid, 10)) !== identity;
  } catch {
    return false; // not a folder of a test run, or of another user, or being created
  }
}
