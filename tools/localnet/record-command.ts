import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { compressRecording } from '../../sandbox/recording/recording-file.js';

/** Options of every `npm run record`. */
export const RECORD_OPTIONS = {
  'keep-data': { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

export const log = (text: string): void => console.error(`[record] ${text}`);

/** Ends the process with 1 after an error. */
export async function runRecord(usage: string, help: boolean, record: () => Promise<void>): Promise<void> {
  if (help) return console.log(usage);
  try {
    await record();
  } catch (error) {
    console.error(error);
    process.exit(1);
  }
}

/** `what`: what it has, for people. */
export function saveRecording(file: string, recording: object, what: string): void {
  const bytes = compressRecording(recording);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, bytes);
  log(`${what}, ${bytes.length} bytes: ${file}`);
}
