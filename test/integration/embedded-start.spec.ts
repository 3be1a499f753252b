import { describe, expect, it } from '@jest/globals';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { poll } from '../../src/embedded/poll.js';
import { readProcessIdentity } from '../../src/embedded/process-identity.js';
import { spawnProcess, type SpawnedProcess } from '../support/processes.js';
import { createTestFolder, temporalBinary } from '../support/services.js';

const stringMatching = (pattern: RegExp): unknown => expect.stringMatching(pattern);

const START_TIMEOUT_MS = 60_000;
const ANY_PORT = '0';

function environment(dataDir: string): Record<string, string | undefined> {
  return {
    DATA_DIR: dataDir,
    PORT: ANY_PORT,
    EMBEDDED_POSTGRES_PORT: ANY_PORT,
    EMBEDDED_TEMPORAL_PORT: ANY_PORT,
    EMBEDDED_TEMPORAL_UI_PORT: ANY_PORT,
    EMBEDDED_SANDBOX_PORT: ANY_PORT,
    TEMPORAL_CLI_PATH: temporalBinary(),
    LOG_LEVEL: 'warn',
  };
}

async function start(dataDir: string): Promise<SpawnedProcess> {
  const entry = 'dist/src/embedded/main.js';
  return spawnProcess({ entry, env: environment(dataDir), ready: 'message', timeoutMs: START_TIMEOUT_MS });
}

/** Runs the command of the banner's curl, in this process. */
async function postExample({ output }: SpawnedProcess): Promise<{ status: number; body: unknown }> {
  const [, url = '', json = ''] = /curl -sS -X POST (\S+) [^]*-d '(.*)'/.exec(output) ?? [];
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: json,
  });
  const body: unknown = await response.json();
  return { status: response.status, body };
}

function childIds(dataDir: string): Record<string, number> {
  const folder = join(dataDir, 'run');
  const entries = readdirSync(folder).map((file): [string, number] => {
    const pid = /"pid":(\d+)/.exec(readFileSync(join(folder, file), 'utf8'))?.[1];
    return [file.replace('.json', ''), Number(pid)];
  });
  return Object.fromEntries(entries.filter(([name]) => name !== 'main'));
}

const waitForEnd = (pids: number[]): Promise<true> =>
  poll({
    what: `the end of processes ${pids.join(', ')}`,
    timeoutMs: 20_000,
    intervalMs: 50,
    ask: () => (pids.every((pid) => readProcessIdentity(pid) === undefined) ? true : undefined),
  });

describe('npm start', () => {
  it('brings everything up, answers the request of its banner, and stops every child on SIGTERM', async () => {
    const dataDir = join(createTestFolder('embedded'), 'data');
    const service = await start(dataDir);
    expect(service.output).toMatch(/SANDBOX: 5 simulated validators/);
    expect(await postExample(service)).toMatchObject({
      status: 201,
      body: { signedMessage: stringMatching(/^[0-9a-f]+$/) },
    });
    const children = childIds(dataDir);
    expect(Object.keys(children).sort()).toEqual(['Postgres', 'Temporal', 'sandbox']);

    service.signal('SIGTERM');
    expect(await service.exited).toEqual({ code: 0, signal: null });
    await waitForEnd(Object.values(children));
    expect(existsSync(join(dataDir, 'postgres', 'data', 'postmaster.pid'))).toBe(false);
    expect(readdirSync(join(dataDir, 'run'))).toEqual([]);
  });

  it('continues after kill -9 of itself, over what was left running, and is alone over its data', async () => {
    const dataDir = join(createTestFolder('embedded'), 'data');
    const first = await start(dataDir);
    const answer = await postExample(first);
    await first.kill('SIGKILL');
    const leftBehind = childIds(dataDir);

    const second = await start(dataDir);
    await waitForEnd(Object.values(leftBehind));
    expect(await postExample(second)).toEqual(answer);

    const third = await spawnProcess({ entry: 'dist/src/embedded/main.js', env: environment(dataDir) });
    expect(await third.exited).toEqual({ code: 1, signal: null });
    expect(third.output).toContain(`process ${second.pid} already runs over the data in ${dataDir}`);
    expect((await postExample(second)).status).toBe(201);
  });

  it('starts a server again that was killed, on its port', async () => {
    const dataDir = join(createTestFolder('embedded'), 'data');
    const service = await start(dataDir);
    const before = childIds(dataDir);
    for (const pid of Object.values(before)) process.kill(pid, 'SIGKILL');
    for (const name of Object.keys(before)) await service.waitForOutput(new RegExp(`${name} is up again`));
    const status = await poll({
      what: 'an answer after the restart',
      timeoutMs: 30_000,
      intervalMs: 200,
      ask: async () => ((await postExample(service)).status === 201 ? 201 : undefined),
    });
    expect(status).toBe(201);
    expect(Object.values(childIds(dataDir))).not.toEqual(Object.values(before));
  });
});
