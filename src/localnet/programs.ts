import { join } from 'node:path';
import {
  findProgram,
  programFile,
  projectFolder,
  runTool,
  withProgress,
  type Progress,
} from '../embedded/binaries.js';

/** Also in `avalanchego/programs/go.mod`, which pins it: the rules and manners of today's network. */
export const PROGRAMS_VERSION = '1.15.0';

/** Small programs of ours around packages of avalanchego. */
const PROGRAMS = {
  'p-chain': "avalanchego's P-chain VM",
  peer: "avalanchego's side of the peer protocol",
} as const;
export type ProgramName = keyof typeof PROGRAMS;

/** Builds the program into the folder and returns its path; some minutes once, seconds with Go's own cache. */
export async function buildProgram(name: ProgramName, folder: string, progress: Progress): Promise<string> {
  const go = findProgram('go');
  if (go === undefined) throw new Error(`${PROGRAMS[name]} needs Go (https://go.dev/dl) to be built`);
  const program = join(folder, programFile(name));
  const what = `building ${PROGRAMS[name]} ${PROGRAMS_VERSION} (some minutes the first time)`;
  progress(`${what} …`);
  const cwd = join(projectFolder(), 'src', 'localnet', 'avalanchego', 'programs');
  await withProgress(
    progress,
    what,
    runTool({ command: go, args: ['build', '-o', program, `./${name}`], cwd }),
  );
  return program;
}
