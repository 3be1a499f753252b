import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AlreadyRunningError, ProcessRegistry } from './process-registry.js';
import { silent } from './progress.js';

const IDLE = 'setInterval(() => undefined, 1000)';
const IDLE_AND_STUBBORN = `process.on('SIGTERM', () => undefined); ${IDLE}`;

describe(ProcessRegistry.name, () => {
  let folder: string;
  const children: ChildProcess[] = [];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'nds-registry-'));
  });
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  async function startChild(code = IDLE): Promise<{ child: ChildProcess; pid: number }> {
    const child = spawn(process.execPath, ['-e', `${code}; console.log("ready")`], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    children.push(child);
    await Promise.all([once(child, 'spawn'), child.stdout === null ? undefined : once(child.stdout, 'data')]);
    return { child, pid: child.pid ?? 0 };
  }

  const file = (name: string): string => join(folder, 'run', `${name}.json`);

  it('refuses a folder that another living process has claimed, naming it', async () => {
    const { pid } = await startChild();
    const registry = new ProcessRegistry(folder);
    registry.register('main', pid, 'SIGTERM');
    expect(() => registry.claim()).toThrow(AlreadyRunningError);
    expect(() => registry.claim()).toThrow(String(pid));
  });

  it('claims a folder whose process was killed', async () => {
    const { child, pid } = await startChild();
    const registry = new ProcessRegistry(folder);
    registry.register('main', pid, 'SIGTERM');
    child.kill('SIGKILL');
    await once(child, 'exit');
    registry.claim();
    expect(JSON.parse(readFileSync(file('main'), 'utf8'))).toMatchObject({ pid: process.pid });
    registry.release();
    expect(readdirSync(join(folder, 'run'))).toEqual([]);
  });

  it('claims over a file that a crash has cut off', () => {
    const registry = new ProcessRegistry(folder);
    writeFileSync(file('main'), '{"pid":');
    registry.claim();
    registry.claim();
  });

  it('stops what was left behind, also when it does not listen', async () => {
    const willing = await startChild();
    const registry = new ProcessRegistry(folder, { orphanStopTimeoutMs: 200 });
    registry.register('willing', willing.pid, 'SIGTERM');
    const stubborn = await startChild(IDLE_AND_STUBBORN);
    registry.register('stubborn', stubborn.pid, 'SIGTERM');
    const ends = Promise.all([once(willing.child, 'exit'), once(stubborn.child, 'exit')]);
    const printed: string[] = [];
    await registry.stopOrphans((text) => printed.push(text));
    expect((await ends).map(([, signal]) => String(signal))).toEqual(['SIGTERM', 'SIGKILL']);
    expect(printed).toHaveLength(2);
    expect(readdirSync(join(folder, 'run'))).toEqual([]);
  });

  it('leaves a process alone that got the id of one that was noted', async () => {
    const { child, pid } = await startChild();
    const registry = new ProcessRegistry(folder);
    writeFileSync(file('temporal'), JSON.stringify({ pid, identity: 'another', stopSignal: 'SIGTERM' }));
    await registry.stopOrphans(silent);
    expect(child.exitCode ?? child.signalCode).toBeNull();
    expect(readdirSync(join(folder, 'run'))).toEqual([]);
  });
});
