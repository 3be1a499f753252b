import { join } from 'node:path';
import { programFile } from '../../sandbox/local/processes/find-program.js';
import { GO_BUILD, goTool } from '../../sandbox/local/processes/go-tool.js';
import { type Progress } from '../../sandbox/local/processes/progress.js';

/** Also in `avalanchego/programs/go.mod`, which pins it: the rules and manners of today's network. */
const PROGRAMS_VERSION = '1.15.0';

/** Small programs of ours around packages of avalanchego. */
const PROGRAMS = {
  'p-chain': "avalanchego's P-chain VM",
  peer: "avalanchego's side of the peer protocol",
  vertices: "avalanchego's vertices of the X-chain",
} as const;
export type ProgramName = keyof typeof PROGRAMS;

/** Builds the program into the folder and returns its path; some minutes once, seconds with Go's own cache. */
export async function buildProgram(name: ProgramName, folder: string, progress: Progress): Promise<string> {
  const program = join(folder, programFile(name));
  const what = `building ${PROGRAMS[name]} ${PROGRAMS_VERSION} (some minutes the first time)`;
  const go = goTool(join('localnet', 'avalanchego', 'programs'), progress);
  await go(what, [...GO_BUILD, '-o', program, `./${name}`]);
  return program;
}
