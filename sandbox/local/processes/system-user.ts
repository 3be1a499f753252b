import { execFileSync, spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';

export interface SystemUser {
  name: string;
  uid: number;
  gid: number;
}

/**
 * Postgres refuses to run as root. Then it runs as the owner of the data that is already there, else as the user
 * `postgres` if the system has one, else as `nobody`. Undefined means: as whoever runs this process.
 */
export function chooseServerUser(dataFolder: string): SystemUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const owner = statSync(dataFolder, { throwIfNoEntry: false });
  if (owner !== undefined && owner.uid !== 0) {
    return { name: `with id ${owner.uid}`, uid: owner.uid, gid: owner.gid };
  }
  const user = findUser('postgres') ?? findUser('nobody');
  if (user === undefined) {
    throw new Error('Postgres refuses to run as root, and there is no user postgres or nobody');
  }
  return user;
}

function findUser(name: string): SystemUser | undefined {
  try {
    return { name, uid: readId('-u', name), gid: readId('-g', name) };
  } catch {
    return undefined;
  }
}

function readId(flag: '-u' | '-g', name: string): number {
  const text = execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  return Number.parseInt(text, 10);
}

/** Whether the user can go through a folder or run a program: asked of the kernel, modes are not all that decides. */
export function canReach(user: SystemUser, path: string): boolean {
  const { status } = spawnSync('/bin/sh', ['-c', 'test -x "$1"', 'sh', path], {
    uid: user.uid,
    gid: user.gid,
    cwd: '/',
    stdio: 'ignore',
  });
  return status === 0;
}
