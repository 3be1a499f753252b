import { join } from 'node:path';
import { projectFolder } from '../../../src/platform/config/project-folder.js';
import { findProgram } from './find-program.js';
import { type Progress, withProgress } from './progress.js';
import { runTool } from './run-tool.js';

/**
 * A compiler that collects its garbage less often, and writes nothing for debuggers, takes a fifth less time. Behind it: `-o`, the program's
 * file, and its package.
 */
export const GO_BUILD = ['build', '-trimpath', '-ldflags=-s -w', '-gcflags=all=-dwarf=false'] as const;

/** Runs Go for the purpose in the first argument; resolves with what it printed. */
export type GoTool = (what: string, args: readonly string[]) => Promise<string>;

/** Go in a folder below `tools` that is a module. Throws when there is none on the PATH. */
export function goTool(folder: string, progress: Progress, settings: NodeJS.ProcessEnv = {}): GoTool {
  const command = findProgram('go');
  if (command === undefined) {
    throw new Error(`there is no "go" on the PATH (https://go.dev/dl) to build what is in tools/${folder}`);
  }
  const cwd = join(projectFolder(), 'tools', folder);
  const env = Object.assign({}, process.env, { GOGC: '400', GOWORK: 'off' }, settings);
  return async (what, args) => {
    progress(`${what} …`);
    return withProgress(progress, what, runTool({ command, args, cwd, env }));
  };
}
