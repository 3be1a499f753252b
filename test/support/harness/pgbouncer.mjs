import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Packages of most systems have it; tests do not install any, and those that need it do not count where there is none. */
export function findPgBouncer() {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];
  return folders.map((folder) => join(folder, 'pgbouncer')).find((file) => existsSync(file));
}
