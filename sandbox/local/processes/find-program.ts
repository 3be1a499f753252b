import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/** The file name that a program has on this platform. */
export function programFile(name: string): string {
  return process.platform === 'win32' ? `${name}.exe` : name;
}

/** Looks a program up on the search path, as a shell would. */
export function findProgram(name: string, path: string | undefined = process.env.PATH): string | undefined {
  return (path ?? '')
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .map((folder) => join(folder, programFile(name)))
    .find(isExecutable);
}

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
