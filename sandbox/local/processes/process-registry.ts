import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { poll } from './poll.js';
import { readProcessIdentity } from '../../../src/platform/config/process-identity.js';
import type { Progress } from './progress.js';

const MAIN = 'main';
const CLAIM_ATTEMPTS = 3;
const ORPHAN_STOP_TIMEOUT_MS = 20_000;
const ORPHAN_STOP_INTERVAL_MS = 50;

const EntrySchema = z.object({
  pid: z.int().positive(),
  identity: z.string(),
  stopSignal: z.enum(['SIGTERM', 'SIGINT']),
});
type Entry = z.infer<typeof EntrySchema>;

export class AlreadyRunningError extends Error {
  constructor(
    readonly pid: number,
    folder: string,
  ) {
    super(
      `process ${pid} already runs over the data in ${folder}: stop it first, or choose another DATA_DIR`,
    );
    this.name = AlreadyRunningError.name;
  }
}

/**
 * Which processes run over a data folder, in files that survive kill -9. A process is only taken for the noted one when
 * its start time and command line agree: process ids are given out again.
 */
export class ProcessRegistry {
  private readonly folder: string;

  constructor(
    private readonly dataFolder: string,
    private readonly options = { orphanStopTimeoutMs: ORPHAN_STOP_TIMEOUT_MS },
  ) {
    this.folder = join(dataFolder, 'run');
    mkdirSync(this.folder, { recursive: true });
  }

  /** Makes this process the only one over the data folder. */
  claim(): void {
    for (let attempt = 1; ; attempt += 1) {
      const current = this.read(MAIN);
      if (current !== undefined && current.pid !== process.pid && isSameProcess(current)) {
        throw new AlreadyRunningError(current.pid, this.dataFolder);
      }
      rmSync(this.file(MAIN), { force: true });
      try {
        this.write(MAIN, process.pid, 'SIGTERM', 'wx');
        return;
      } catch (error) {
        if (attempt === CLAIM_ATTEMPTS) throw error; // somebody else claims it at the same moment
      }
    }
  }

  release(): void {
    if (this.read(MAIN)?.pid === process.pid) rmSync(this.file(MAIN), { force: true });
  }

  register(name: string, pid: number, stopSignal: Entry['stopSignal']): void {
    this.write(name, pid, stopSignal, 'w');
  }

  unregister(name: string): void {
    rmSync(this.file(name), { force: true });
  }

  /** Stops what a killed process left running over this data folder. */
  async stopOrphans(progress: Progress): Promise<void> {
    const names = readdirSync(this.folder)
      .filter((file) => file.endsWith('.json'))
      .map((file) => file.slice(0, -'.json'.length))
      .filter((name) => name !== MAIN);
    await Promise.all(names.map((name) => this.stopOrphan(name, progress)));
  }

  private async stopOrphan(name: string, progress: Progress): Promise<void> {
    const entry = this.read(name);
    if (entry !== undefined && isSameProcess(entry)) {
      progress(`stopping ${name} (process ${entry.pid}), which an earlier run left behind`);
      await stopProcess(entry, this.options.orphanStopTimeoutMs);
    }
    this.unregister(name);
  }

  private file(name: string): string {
    return join(this.folder, `${name}.json`);
  }

  private read(name: string): Entry | undefined {
    try {
      return EntrySchema.parse(JSON.parse(readFileSync(this.file(name), 'utf8')));
    } catch {
      return undefined; // missing, or cut off by a crash
    }
  }

  private write(name: string, pid: number, stopSignal: Entry['stopSignal'], flag: 'w' | 'wx'): void {
    const entry: Entry = { pid, identity: readProcessIdentity(pid) ?? '', stopSignal };
    writeFileSync(this.file(name), JSON.stringify(entry), { flag });
  }
}

function isSameProcess(entry: Entry): boolean {
  return entry.identity !== '' && readProcessIdentity(entry.pid) === entry.identity;
}

async function stopProcess(entry: Entry, timeoutMs: number): Promise<void> {
  const waitForEnd = (): Promise<boolean> =>
    poll({
      what: `the end of process ${entry.pid}`,
      timeoutMs,
      intervalMs: ORPHAN_STOP_INTERVAL_MS,
      ask: () => (isSameProcess(entry) ? undefined : true),
    }).catch(() => false);
  send(entry, entry.stopSignal);
  if (await waitForEnd()) return;
  send(entry, 'SIGKILL');
  if (!(await waitForEnd())) throw new Error(`process ${entry.pid} cannot be ended`);
}

function send(entry: Entry, signal: NodeJS.Signals): void {
  try {
    process.kill(entry.pid, signal);
  } catch {
    // it has ended in this moment
  }
}
