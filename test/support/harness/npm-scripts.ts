import { execFile, type ExecFileException } from 'node:child_process';
import { projectFolder } from '../../../src/platform/config/project-folder.js';

const LIMIT_MS = 600_000;

interface Ended {
  readonly code: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

/** In the project's folder, to its end. */
export function runToEnd(command: string, ...args: string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const answer = (error: ExecFileException | null, stdout: string, stderr: string): void =>
      resolve({ code: error === null ? 0 : (error.code ?? String(error.signal)), stdout, stderr });
    execFile(command, args, { cwd: projectFolder(), timeout: LIMIT_MS }, answer);
  });
}

/** As package.json runs it. */
export function runScript(...args: string[]): Promise<Ended> {
  return runToEnd(process.execPath, 'sandbox/local/setup.mjs', ...args);
}
