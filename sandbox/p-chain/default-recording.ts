import { join } from 'node:path';
import { projectFolder } from '../../src/platform/config/project-folder.js';
import { readPChainRecording, type PChainRecording } from '../recording/p-chain-recording.js';

/** From the project's folder: the compiler copies no such files to where the built program runs. */
const FILE = join('sandbox', 'recording', 'p-chain.json.br');

let recording: PChainRecording | undefined;

/** The recording in the project. Read once: it is large, and tests start many sandboxes. */
export function defaultRecording(): PChainRecording {
  recording ??= readPChainRecording(join(projectFolder(), FILE));
  return recording;
}
