import { readFileSync } from 'node:fs';

/** Reads one file of byte-exact vectors from `test/vectors`; its shape is described in that folder's README. */
export function loadVectors<T>(name: string): T {
  const url = new URL(`../vectors/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(url, 'utf8')) as T;
}
