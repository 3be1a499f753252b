import { join } from 'node:path';
import { projectFolder } from '../../src/platform/config/project-folder.js';
import { readXChainRecording, type XChainRecording } from '../recording/x-chain-recording.js';

/** From the project's folder: the compiler copies no such files to where the built program runs. */
const FILE = join('sandbox', 'recording', 'x-chain.json.br');

let recording: XChainRecording | undefined;

/** The recording in the project, read once. */
export function defaultXChainRecording(): XChainRecording {
  recording ??= readXChainRecording(join(projectFolder(), FILE));
  return recording;
}
