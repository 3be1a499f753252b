import { join } from 'node:path';
import { projectFolder } from '../../src/platform/config/project-folder.js';
import { readEvmRecording, type EvmRecording } from '../recording/evm-recording.js';

/** From the project's folder: the compiler copies no such files to where the built program runs. */
const FOLDER = join('sandbox', 'recording');

const read = new Map<string, EvmRecording>();

/** The recordings in the project, which are of one network, each read once. */
export function defaultCChainRecording(): EvmRecording {
  return readOnce('c-chain.json.br');
}

export function defaultL1Recording(): EvmRecording {
  return readOnce('l1.json.br');
}

function readOnce(name: string): EvmRecording {
  const recording = read.get(name) ?? readEvmRecording(join(projectFolder(), FOLDER, name));
  read.set(name, recording);
  return recording;
}
