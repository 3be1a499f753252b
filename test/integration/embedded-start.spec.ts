import { describe, expect, it } from '@jest/globals';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import pg from 'pg';
import { z } from 'zod';
import { poll } from '../../sandbox/local/processes/poll.js';
import { findRunningPostgres } from '../../sandbox/local/postgres-server.js';
import { readProcessIdentity } from '../../src/platform/config/process-identity.js';
import { eventually, PATIENCE_MS } from '../support/harness/eventually.js';
import { spawnProcess, type SpawnedProcess } from '../support/harness/processes.js';
import { createTestFolder, temporalBinary } from '../support/harness/services.js';

const stringMatching = (pattern: RegExp): unknown => expect.stringMatching(pattern);

function environment(dataDir: string): Record<string, string | undefined> {
  return {
    DATA_DIR: dataDir,
    PORT: '0', // and any for the rest
    PATH: [dirname(temporalBinary()), process.env.PATH].join(delimiter),
    LOG_LEVEL: 'warn',
  };
}

async function start(dataDir: string): Promise<SpawnedProcess> {
  const entry = 'dist/bundled/sandbox/local/main.js';
  return spawnProcess({ entry, env: environment(dataDir), ready: 'message' });
}

const apiUrlOf = ({ output }: SpawnedProcess): string => /API +(\S+)/.exec(output)?.[1] ?? '';

/** Runs one of the banner's commands, in this process: the first that posts to such a path. */
async function postExample(
  { output }: SpawnedProcess,
  path: string,
): Promise<{ status: number; body: unknown }> {
  const commands = [...output.matchAll(/curl -sS -X POST (\S+) [^]*?-d '(.*?)'/g)];
  const [, url = '', json = ''] = commands.find(([, address]) => address?.includes(path)) ?? [];
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: json,
  });
  const body: unknown = await response.json();
  return { status: response.status, body };
}

const aggregateExample = (service: SpawnedProcess) => postExample(service, 'aggregateSignatures');

/** An answer comes before it is stored; what is asked for anew may be signed by others. */
async function untilStored(dataDir: string, answer: unknown): Promise<void> {
  const { signedMessage } = SignedSchema.parse(answer);
  const database = new pg.Client({ connectionString: findRunningPostgres(join(dataDir, 'postgres')) });
  await database.connect();
  const stored = `SELECT 1 FROM aggregated_signatures WHERE signed_message = decode($1, 'hex')`;
  await eventually('the answer is stored', async () => {
    const { rowCount } = await database.query(stored, [signedMessage]);
    return rowCount === 1;
  });
  await database.end();
}

/** Requests of the README that need nothing from another one's answer, as `fetch` takes them. */
function readmeRequests(): [path: string, init: RequestInit][] {
  const [, section = ''] = /## First requests\n([^]*?)\n## /.exec(readFileSync('README.md', 'utf8')) ?? [];
  const commands = [...section.matchAll(/^curl [^\n]*(?:\n {2}[^\n]+)*/gm)].map(([command]) => command);
  return commands.flatMap((command): [string, RequestInit][] => {
    const path = /http:\/\/127\.0\.0\.1:3000([^'\s]*)/.exec(command)?.[1];
    if (path === undefined || command.includes('{operationId}') || command.includes('nds_…')) return [];
    const body = / -d '([^]*?)'$/.exec(command)?.[1];
    const headers = { 'content-type': 'application/json' };
    return [[path, body === undefined ? {} : { method: 'POST', headers, body }]];
  });
}

/** The end of the banner's export. */
async function exportExample(service: SpawnedProcess): Promise<EndedExport> {
  const { status, body } = await postExample(service, 'transactions:export');
  expect(status).toBe(201);
  return endOfExport(apiUrlOf(service), body);
}

async function endOfExport(apiUrl: string, begun: unknown): Promise<EndedExport> {
  const { operationId } = OperationSchema.parse(begun);
  const { operationStatus, message, metadata } = await poll({
    what: 'the end of the export',
    timeoutMs: PATIENCE_MS,
    intervalMs: 50,
    ask: async () => {
      const answer = await fetch(`${apiUrl}/v1/operations/${operationId}`);
      const operation = OperationSchema.parse(await answer.json());
      return operation.operationStatus === 'RUNNING' ? undefined : operation;
    },
  });
  const file = await fetch(metadata.downloadUrl ?? '');
  return { operationStatus, message, lines: (await file.text()).split('\r\n').slice(1, -1) };
}

interface EndedExport {
  readonly operationStatus: string;
  readonly message: string | undefined;
  /** Without the header. */
  readonly lines: string[];
}

/** It has ended whole, without a warning. */
function expectRows({ operationStatus, message, lines }: EndedExport): void {
  expect(lines.length).toBeGreaterThan(0);
  expect([operationStatus, message]).toEqual(['COMPLETED', `${lines.length} rows`]);
}

const ChainsSchema = z.object({
  chains: z.array(
    z.object({
      lastBlock: z.string().optional(),
      facets: z.array(z.object({ missingBlockCount: z.string() })),
    }),
  ),
});
const SignedSchema = z.object({ signedMessage: z.string() });
const OperationSchema = z.object({
  operationId: z.string(),
  operationStatus: z.string(),
  message: z.string().optional(),
  metadata: z.object({ downloadUrl: z.string().optional() }),
});

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
    timeoutMs: PATIENCE_MS,
    intervalMs: 50,
    ask: () => (pids.every((pid) => readProcessIdentity(pid) === undefined) ? true : undefined),
  });

describe('npm start', () => {
  it('brings everything up, answers the requests of its banner, and stops every child on SIGTERM', async () => {
    const dataDir = join(createTestFolder('embedded'), 'data');
    const service = await start(dataDir);
    expect(service.output).toMatch(/SANDBOX: simulated validators/);
    expect(await aggregateExample(service)).toMatchObject({
      status: 201,
      body: { signedMessage: stringMatching(/^[0-9a-f]+$/) },
    });
    const apiUrl = apiUrlOf(service);
    await eventually('indexed chains', async () => {
      const { chains } = ChainsSchema.parse(await (await fetch(`${apiUrl}/v1/chains`)).json());
      return chains.every(
        ({ lastBlock, facets }) =>
          lastBlock !== undefined && facets.every(({ missingBlockCount }) => missingBlockCount === '0'),
      );
    });
    expectRows(await exportExample(service));
    const requests = readmeRequests();
    expect(requests.length).toBeGreaterThan(10);
    for (const [path, init] of requests) {
      let answer: unknown;
      await eventually(`an answer to ${path}`, async () => {
        const response = await fetch(`${apiUrl}${path}`, init);
        answer = await response.json();
        return response.ok;
      });
      if (!path.endsWith(':export')) continue;
      expectRows(await endOfExport(apiUrl, answer));
    }
    const children = childIds(dataDir);
    expect(Object.keys(children).sort()).toEqual(['Postgres', 'Temporal', 'sandbox', 'worker']);

    service.signal('SIGTERM');
    expect(await service.exited).toEqual({ code: 0, signal: null });
    await waitForEnd(Object.values(children));
    expect(existsSync(join(dataDir, 'postgres', 'data', 'postmaster.pid'))).toBe(false);
    expect(readdirSync(join(dataDir, 'run'))).toEqual([]);
  });

  it('continues after kill -9 of itself, over what was left running, and is alone over its data', async () => {
    const dataDir = join(createTestFolder('embedded'), 'data');
    const first = await start(dataDir);
    const answer = await aggregateExample(first);
    await untilStored(dataDir, answer.body);
    await first.kill('SIGKILL');
    const leftBehind = childIds(dataDir);

    const second = await start(dataDir);
    await waitForEnd(Object.values(leftBehind));
    expect(await aggregateExample(second)).toEqual(answer);

    const third = await spawnProcess({
      entry: 'dist/bundled/sandbox/local/main.js',
      env: environment(dataDir),
    });
    expect(await third.exited).toEqual({ code: 1, signal: null });
    expect(third.output).toContain(`process ${second.pid} already runs over the data in ${dataDir}`);
    expect((await aggregateExample(second)).status).toBe(201);
  });

  it('starts a server again that was killed, on its port', async () => {
    const dataDir = join(createTestFolder('embedded'), 'data');
    const service = await start(dataDir);
    const before = childIds(dataDir);
    for (const pid of Object.values(before)) process.kill(pid, 'SIGKILL');
    for (const name of Object.keys(before)) await service.waitForOutput(new RegExp(`${name} is up again`));
    const status = await poll({
      what: 'an answer after the restart',
      timeoutMs: PATIENCE_MS,
      intervalMs: 200,
      ask: async () => ((await aggregateExample(service)).status === 201 ? 201 : undefined),
    });
    expect(status).toBe(201);
    expect(Object.values(childIds(dataDir))).not.toEqual(Object.values(before));
  });
});
