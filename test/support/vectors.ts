import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '../../src/platform/config/project-folder.js';

/** Reads one file of byte-exact vectors from `test/vectors`; its shape is described in that folder's README. */
export function loadVectors<T>(name: string): T {
  return JSON.parse(readFileSync(join(projectFolder(), `test/vectors/${name}.json`), 'utf8')) as T;
}
