import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Progress } from '../../sandbox/local/processes/progress.js';
import { type LocalNetwork, type LocalNetworkOptions, startLocalNetwork } from './local-network.js';

export interface TemporaryFolder {
  /** Prefix of its name. */
  readonly name: string;
  /** Whether it is left behind. */
  readonly keep: boolean;
  readonly log: Progress;
}

/** A folder that is there for as long as `work` takes. */
export async function inTemporaryFolder<T>(
  { name, keep, log }: TemporaryFolder,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), `${name}-`));
  try {
    return await work(folder);
  } finally {
    if (keep) log(`data and logs are in ${folder}`);
    else rmSync(folder, { recursive: true, force: true });
  }
}

/** A local network that runs for as long as `work` takes, in such a folder. */
export function onTemporaryNetwork<T>(
  folder: TemporaryFolder,
  options: Omit<LocalNetworkOptions, 'dataDir' | 'progress'>,
  work: (network: LocalNetwork) => Promise<T>,
): Promise<T> {
  return inTemporaryFolder(folder, async (dataDir) => {
    const network = await startLocalNetwork({ ...options, dataDir, progress: folder.log });
    try {
      return await work(network);
    } finally {
      await network.stop();
    }
  });
}
