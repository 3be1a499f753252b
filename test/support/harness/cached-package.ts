import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheFolder } from '../../../sandbox/local/processes/cache-folder.js';
import { runTool } from '../../../sandbox/local/processes/run-tool.js';

export interface CachedPackage {
  /** Below the cache folder. */
  folder: string;
  /** Name and exact version. */
  package: string;
  /** Makes `target` of the folder in which the package is installed; both are removed when it fails. */
  unpack: (installed: string, target: string) => Promise<void>;
}

/**
 * A folder made of an npm package that is too large to be a dependency of everybody: installed when it is needed for the first time,
 * beside the other binaries. Complete or not at all: another run may be at it, and this one may be killed.
 */
export async function ensureCachedPackage(wanted: CachedPackage): Promise<string> {
  const folder = join(cacheFolder(), wanted.folder);
  if (existsSync(folder)) return folder;
  mkdirSync(dirname(folder), { recursive: true });
  const temporary = mkdtempSync(`${folder}-`);
  const target = join(temporary, 'target');
  mkdirSync(target);
  try {
    const options = ['--prefix', temporary, '--no-save', '--ignore-scripts', '--no-audit', '--no-fund'];
    await runTool({ command: 'npm', args: ['install', ...options, wanted.package] });
    await wanted.unpack(temporary, target);
    renameSync(target, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
  return folder;
}
