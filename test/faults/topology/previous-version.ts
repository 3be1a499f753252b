import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '../../../src/platform/config/project-folder.js';
import { runTool } from '../../../sandbox/local/processes/run-tool.js';

/**
 * A checkout of an older commit, built, in `.data/faults/versions`; made once for each commit. Its dependencies are those of this
 * checkout where the two want the same ones.
 *
 * @param commit undefined: the newest tag, or the first commit with today's workflows, tables and programs, since databases of older
 *   ones are refused
 */
export async function preparePreviousVersion(
  commit: string | undefined,
  print: (text: string) => void,
): Promise<{ project: string; commit: string }> {
  const wanted = commit ?? (await findPrevious());
  const resolved = await git('rev-parse', '--verify', `${wanted}^{commit}`);
  const project = join(projectFolder(), '.data', 'faults', 'versions', resolved.slice(0, 12));
  if (!existsSync(join(project, 'dist', '.nds-built'))) {
    print(`building ${resolved.slice(0, 12)}, the version to upgrade from`);
    await checkOut(resolved, project);
    const setup = join(project, 'sandbox', 'local', 'setup.mjs');
    await runTool({ command: process.execPath, args: [setup, 'test-setup'], cwd: project });
  }
  return { project, commit: resolved };
}

async function findPrevious(): Promise<string> {
  const tag = await git('describe', '--tags', '--abbrev=0').catch(() => undefined);
  if (tag !== undefined) return tag;
  const decisive = ['workflows', 'src/platform/database/migrations', 'sandbox/local/bundle.mjs'];
  return git('log', '-1', '--first-parent', '--format=%H', '--', ...decisive);
}

async function checkOut(commit: string, project: string): Promise<void> {
  if (!existsSync(join(project, '.git'))) {
    mkdirSync(project, { recursive: true });
    await git('clone', '--quiet', '--shared', '--no-checkout', projectFolder(), project);
  }
  await runTool({ command: 'git', args: ['checkout', '--quiet', '--detach', commit], cwd: project });
  const lockfile = (folder: string): string => readFileSync(join(folder, 'package-lock.json'), 'utf8');
  const modules = join(project, 'node_modules');
  if (!existsSync(modules) && lockfile(project) === lockfile(projectFolder())) {
    symlinkSync(join(projectFolder(), 'node_modules'), modules);
  }
}

function git(...args: string[]): Promise<string> {
  return runTool({ command: 'git', args, cwd: projectFolder() });
}
