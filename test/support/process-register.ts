import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readProcessIdentity } from '../../src/embedded/process-identity.js';

const folderOfPids = (testFolder: string): string => join(testFolder, 'pids');

/** Notes a process that a spec file started, so that the teardown ends it even if jest had to kill the worker before. */
export function registerProcess(testFolder: string, pid: number): void {
  const identity = readProcessIdentity(pid);
  if (identity === undefined) return;
  mkdirSync(folderOfPids(testFolder), { recursive: true });
  writeFileSync(join(folderOfPids(testFolder), String(pid)), identity);
}

/** Ends what is left, unless the process id belongs to another process by now. */
export async function killRegisteredProcesses(testFolder: string): Promise<void> {
  for (const name of readPids(testFolder)) {
    const pid = Number.parseInt(name, 10);
    if (readProcessIdentity(pid) !== readFileSync(join(folderOfPids(testFolder), name), 'utf8')) continue;
    console.error(`a spec file left process ${pid} behind: ${readProcessIdentity(pid) ?? ''}`);
    process.kill(pid, 'SIGKILL');
  }
}

function readPids(testFolder: string): string[] {
  try {
    return readdirSync(folderOfPids(testFolder));
  } catch {
    return [];
  }
}
