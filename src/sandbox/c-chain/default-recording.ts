import { join } from 'node:path';
import { projectFolder } from '../../embedded/binaries.js';
import { readCChainRecording, type CChainRecording } from '../recording/c-chain-recording.js';

/** From the project's folder: the compiler copies no such files to where the built program runs. */
const FILE = join('src', 'sandbox', 'recording', 'c-chain.json.br');

let recording: CChainRecording | undefined;

/** The recording in the project, read once. */
export function defaultCChainRecording(): CChainRecording {
  recording ??= readCChainRecording(join(projectFolder(), FILE));
  return recording;
}
