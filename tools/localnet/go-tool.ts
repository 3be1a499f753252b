import { join } from 'node:path';
import { findProgram } from '../../sandbox/local/processes/find-program.js';
import { goEnvironment } from '../../sandbox/local/processes/go-build.js';
import { withProgress, type Progress } from '../../sandbox/local/processes/progress.js';
import { projectFolder } from '../../src/platform/config/project-folder.js';
import { runTool } from '../../sandbox/local/processes/run-tool.js';

/** Runs Go for the purpose in the first argument; resolves with what it printed. */
export type GoTool = (what: string, args: readonly string[]) => Promise<string>;

/** Go in a folder with a module below `tools/localnet`. Throws when there is none on the PATH. */
export function goTool(folder: string, progress: Progress): GoTool {
  const command = findProgram('go');
  if (command === undefined) {
    throw new Error(
      'building avalanchego needs Go 1.25 or newer (https://go.dev/dl), and there is no "go" on the PATH',
    );
  }
  const cwd = join(projectFolder(), 'tools', 'localnet', folder);
  return async (what, args) => {
    progress(`${what} …`);
    return withProgress(progress, what, runTool({ command, args, cwd, env: goEnvironment() }));
  };
}
