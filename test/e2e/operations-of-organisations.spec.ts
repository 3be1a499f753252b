import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { request as httpRequest } from 'node:http';
import { z } from 'zod';
import { defaultCChainRecording } from '../../sandbox/evm-chains/default-recordings.js';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.js';
import { writeEvmChainsFile } from '../support/evm/evm-chains-file.js';
import { dateOf } from '../support/exports/export-comparison.js';
import { eventually } from '../support/harness/eventually.js';
import { TestService } from '../support/harness/service.js';
import { headersWithKey } from '../support/http/api-keys.js';

const OperationSchema = z.object({
  operationId: z.string(),
  operationStatus: z.string(),
  message: z.string(),
  metadata: z.object({ downloadUrl: z.string().optional() }),
});
const ListSchema = z.object({ operations: z.array(OperationSchema), nextPageToken: z.string().optional() });
const MeSchema = z.object({
  limits: z.object({ storedExports: z.number() }),
  remaining: z.object({ storedExports: z.number() }),
});

describe('operations', () => {
  const recording = defaultCChainRecording();
  const request = {
    type: 'TRANSACTION_EXPORT_EVM',
    firstDate: dateOf(recording, 1),
    lastDate: dateOf(recording, recording.blocks.length - 1),
    options: {
      addresses: recording.addresses.slice(0, 2).map(({ address }) => address),
      includeChains: [String(BigInt(recording.chainId))],
    },
  };
  let sandbox: Sandbox;
  let service: TestService;
  let ours: Record<string, string>;
  let theirs: Record<string, string>;

  beforeAll(async () => {
    sandbox = await startSandbox({ validators: 1, blockIntervalMs: 0 });
    const rpcUrls = [`${sandbox.url}/ext/bc/C/rpc`];
    const chain = { chainId: BigInt(recording.chainId), rpcUrls, startHeight: 'tip' } as const;
    service = await TestService.start({
      nodeUrl: sandbox.url,
      env: {
        WORKER_QUEUES: 'indexing,exports',
        EVM_CHAINS_FILE: writeEvmChainsFile([chain]),
        LOG_LEVEL: 'warn',
      },
    });
    const { databaseUrl } = service;
    [ours, theirs] = [await headersWithKey(databaseUrl, 'ours'), await headersWithKey(databaseUrl, 'theirs')];
  });

  afterAll(() => sandbox.stop());

  const begin = async (headers: Record<string, string>): Promise<string> => {
    const body = JSON.stringify(request);
    const answer = await service.post('/v1/operations/transactions:export', body, headers);
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
    return OperationSchema.parse(answer.body).operationId;
  };
  const ask = async (id: string, headers: Record<string, string>) => {
    const { status, body } = await service.request(`/v1/operations/${id}`, { headers });
    return { status, operation: status === 200 ? OperationSchema.parse(body) : undefined };
  };
  const remove = async (id: string, headers: Record<string, string>): Promise<number> =>
    (await fetch(`${service.url}/v1/operations/${id}`, { method: 'DELETE', headers })).status;
  const list = async (headers: Record<string, string>, query = ''): Promise<unknown> =>
    (await service.request(`/v1/operations${query}`, { headers })).body;
  const untilStatus = (id: string, status: RegExp) =>
    eventually(`${id} is ${String(status)}`, async () =>
      status.test((await ask(id, ours)).operation?.operationStatus ?? ''),
    );

  it('are found, listed and removed by their own keys alone, and their links end with them', async () => {
    const id = await begin(ours);
    await untilStatus(id, /^COMPLETED/);
    expect([(await ask(id, theirs)).status, (await ask(id, {})).status]).toEqual([404, 404]);
    expect(await list(ours)).toMatchObject({ operations: [{ operationId: id }] });
    expect(await list(theirs)).toEqual({ operations: [] });
    expect(await list({})).toMatchObject({ statusCode: 401 });
    const url = (await ask(id, ours)).operation?.metadata.downloadUrl ?? '';
    expect((await fetch(url)).status).toBe(200);

    expect([await remove(id, theirs), await remove(id, {})]).toEqual([404, 404]);
    expect((await fetch(url)).status).toBe(200);
    expect(await remove(id, ours)).toBe(204);
    expect((await fetch(url)).status).toBe(404);
    expect(await remove(id, ours)).toBe(204);
    expect((await ask(id, ours)).operation?.metadata.downloadUrl).toBeUndefined();
    await eventually('its file is gone, and no longer counts', async () => {
      const { limits, remaining } = MeSchema.parse((await service.request('/v1/me', { headers: ours })).body);
      return remaining.storedExports === limits.storedExports;
    });
  });

  it('are listed page by page, the latest first, and cancelled while they run', async () => {
    await service.workers[0]?.stop();
    const first = await begin(ours);
    expect(await remove(first, ours)).toBe(204);
    await service.startWorker();
    await untilStatus(first, /^FAILED$/);
    expect((await ask(first, ours)).operation?.message).toBe('the export was cancelled');
    expect(await remove(first, ours)).toBe(204);

    const second = await begin(ours);
    const page = ListSchema.parse(await list(ours, '?pageSize=1'));
    expect(page.operations.map(({ operationId }) => operationId)).toEqual([second]);
    const next = ListSchema.parse(await list(ours, `?pageSize=1&pageToken=${page.nextPageToken ?? ''}`));
    expect(next.operations.map(({ operationId }) => operationId)).toEqual([first]);
  });

  it('are removed by whoever started them where there was no key', async () => {
    const id = await begin({});
    await eventually('it has ended', async () =>
      /^COMPLETED/.test((await ask(id, {})).operation?.operationStatus ?? ''),
    );
    expect((await ask(id, ours)).status).toBe(200);
    expect(await remove(id, ours)).toBe(403);
    expect(await remove(id, {})).toBe(204);
  });

  it('are not started for callers who cannot learn where they are', async () => {
    const before = await list(ours);
    const { hostname, port } = new URL(service.url);
    const body = JSON.stringify({ ...request, lastDate: request.firstDate });
    const status = await new Promise((resolve, reject) => {
      httpRequest({
        host: hostname,
        port,
        method: 'POST',
        path: '/v1/operations/transactions:export',
        headers: { ...ours, host: 'a b', 'content-type': 'application/json' },
      })
        .on('response', (response) => resolve(response.statusCode))
        .on('error', reject)
        .end(body);
    });
    expect(status).toBe(400);
    expect(await list(ours)).toEqual(before);
  });
});
