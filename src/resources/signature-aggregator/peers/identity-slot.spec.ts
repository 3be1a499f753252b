import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
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

  it('takes over the number of a killed process', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    await writeFile(join(dir, 'slot-0.lock'), String(child.pid));
    expect((await takeIdentitySlot(dir)).number).toBe(1);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect((await takeIdentitySlot(dir)).number).toBe(0);
  });

  it('takes over the number of a predecessor with the same process id, as containers have it', async () => {
    await writeFile(join(dir, 'slot-0.lock'), `${process.pid} ${hostname()}`);
    expect((await takeIdentitySlot(dir)).number).toBe(0);
    expect((await takeIdentitySlot(dir)).number).toBe(1);
  });

  it('leaves a number to another machine that renews its lock, and takes it over from one that is gone', async () => {
    const path = join(dir, 'slot-0.lock');
    await writeFile(path, '1 another-machine');
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
