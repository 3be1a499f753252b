import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { utimesSync } from 'node:fs';
import { mkdtemp, readdir, readlink, rm, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectFolder } from '../../../platform/config/project-folder.js';
import { takeIdentitySlot } from './identity-slot.js';

describe(takeIdentitySlot.name, () => {
  let dir: string;

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'identity-slot-'));
  });

  afterEach(() => rm(dir, { recursive: true, force: true }));

  it('gives each holder a number of its own, and a released one again', async () => {
    const slots = await Promise.all([1, 2, 3].map(() => takeIdentitySlot(dir)));
    expect(slots.map(({ number }) => number).sort()).toEqual([0, 1, 2]);
    await slots.find(({ number }) => number === 1)?.release();
    expect((await takeIdentitySlot(dir)).number).toBe(1);
  });

  const QUICK = { renewIntervalMs: 40 };

  const lockOf = (holder: object): Promise<void> =>
    writeFile(join(dir, 'slot-0.lock'), JSON.stringify({ host: hostname(), ...holder }));

  it('takes over the number of a killed process', async () => {
    const file = join(projectFolder(), 'dist/src/resources/signature-aggregator/peers/identity-slot.js');
    const child = spawn(process.execPath, [
      ...['--input-type=module', '-e'],
      `const { takeIdentitySlot } = await import('${pathToFileURL(file).href}');
       await takeIdentitySlot('${dir}');
       console.log('taken');
       setInterval(() => {}, 1000);`,
    ]);
    await once(child.stdout, 'data');
    expect((await takeIdentitySlot(dir)).number).toBe(1);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect((await takeIdentitySlot(dir)).number).toBe(0);
  }, 300_000);

  it('takes over the number of a process whose id another one has got', async () => {
    const space = await readlink('/proc/self/ns/pid').catch(() => undefined);
    await lockOf({ pid: process.ppid, space, identity: 'another boot/123 daemon' });
    expect((await takeIdentitySlot(dir)).number).toBe(0);
  });

  it('leaves a number to another container of the same name that renews its lock, and takes over that of a crashed one', async () => {
    const holder = { pid: process.pid, space: 'pid:[1]', identity: 'x' };
    await lockOf(holder);
    const path = join(dir, 'slot-0.lock');
    let turn = 0;
    const renewing = setInterval(() => utimesSync(path, new Date(), new Date(Date.now() - ++turn)), 10);
    expect((await takeIdentitySlot(dir, QUICK)).number).toBe(1);
    clearInterval(renewing);
    expect((await takeIdentitySlot(dir, QUICK)).number).toBe(0);
  });

  it('leaves a number to another machine that renews its lock, and takes it over from one that is gone', async () => {
    const path = join(dir, 'slot-0.lock');
    await lockOf({ pid: 1, host: 'another-machine' });
    const slot = await takeIdentitySlot(dir);
    expect(slot.number).toBe(1);
    const longAgo = new Date(Date.now() - 600_000);
    await utimes(path, longAgo, longAgo);
    expect((await takeIdentitySlot(dir)).number).toBe(0);
  });

  it('takes over a lock file that holds no holder', async () => {
    await writeFile(join(dir, 'slot-0.lock'), '');
    expect((await takeIdentitySlot(dir)).number).toBe(0);
    expect(await readdir(dir)).toEqual(['slot-0.lock']);
  });
});
