import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { startSandbox, type Sandbox } from '../../sandbox/sandbox.js';
import { eventually } from '../support/harness/eventually.js';
import { Observed } from '../support/harness/observed-service.js';
import type { SpawnedProcess } from '../support/harness/processes.js';

/** Long enough to show that what is expected is not the end of a wait. */
const AGGREGATION_TIMEOUT_MS = '40000';

describe('a process without peers beside one that is connected', () => {
  let sandbox: Sandbox;
  let peerless: Server;
  let peerlessUrl: string;

  beforeAll(async () => {
    sandbox = await startSandbox({ validators: 5 });
    peerless = await startPeerlessNode(sandbox.url);
    const address = peerless.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    peerlessUrl = `http://127.0.0.1:${address.port}`;
  });

  afterAll(async () => {
    peerless.close();
    peerless.closeAllConnections();
    await sandbox.stop();
  });

  it('leaves aggregations to it, its own requests too, and is not ready', async () => {
    const isolated = { FUJI_NODE_URL: peerlessUrl, METRICS_ADDRESS: '127.0.0.1:0' };
    const observed = await Observed.start(sandbox, {
      workers: 1,
      env: { AGGREGATION_TIMEOUT_MS, ...isolated },
      workerEnv: { FUJI_NODE_URL: sandbox.url },
    });
    const { service } = observed;
    const formerApi = service.api;
    await service.killApi('SIGTERM');
    // Anew, and at once: what has been without peers for a minute takes part again, and the start of all others may have taken longer.
    const [worker] = await Promise.all([service.startWorker(isolated), service.restartApi()]);
    const messages = Array.from({ length: 20 }, () => observed.newMessage());
    const answers = await Promise.all(messages.map((message) => service.aggregate({ message })));
    for (const [index, answer] of answers.entries()) {
      await observed.expectSigned(answer, messages[index] ?? '');
    }
    const notReady = {
      status: 'error',
      details: { peers: { status: 'down', message: expect.stringContaining('connected to 0 % of the') } },
    };
    expect(await service.request('/v1/ready-check')).toMatchObject({ status: 503, body: notReady });
    expect(await readinessOf(worker)).toMatchObject(notReady);
    const [connected] = service.workers;
    if (connected === undefined) throw new Error('no worker');
    // None was given to a process that waits for peers.
    await observed.runsEnd();
    const workers = await observed.workersOfRuns();
    workers.delete(formerApi.pid);
    expect(workers).toEqual(new Set([connected.pid]));
    expect(await readinessOf(connected)).toMatchObject({
      status: 'ok',
      details: { peers: { status: 'up' } },
    });
    await observed.close();
  });

  it('stops taking them when it loses its peers, and begins again with them', async () => {
    const observed = await Observed.start(sandbox, {
      env: { AGGREGATION_TIMEOUT_MS, METRICS_ADDRESS: '127.0.0.1:0' },
    });
    const { api } = observed.service;
    const becomes = (status: string) =>
      eventually(
        `peers are ${status}`,
        async () => (await readinessOf(api)).details.peers?.status === status,
      );
    await becomes('up');
    const lost = sandbox.validators.slice(0, 3);
    for (const validator of lost) validator.setBehaviour({ kind: 'refuse-connections' });
    await becomes('down');
    const message = observed.newMessage();
    const answer = observed.service.aggregate({ message });
    for (const validator of lost) validator.setBehaviour('honest');
    await becomes('up');
    await observed.expectSigned(await answer, message);
    await observed.close();
  });
});

interface Readiness {
  status: string;
  details: { peers?: { status: string; message?: string } };
}

async function readinessOf(worker: SpawnedProcess): Promise<Readiness> {
  const [, url = ''] = await worker.waitForOutput(/readiness at (http:\/\/[\d.:]+)/);
  return (await (await fetch(`${url}/ready`)).json()) as Readiness;
}

/** The node at this URL, without its list of peers. */
async function startPeerlessNode(nodeUrl: string): Promise<Server> {
  const server = createServer((request, response) => {
    const answering = async (): Promise<void> => {
      const body = await text(request);
      const headers = { 'content-type': 'application/json' };
      if (body.includes('"info.peers"')) {
        const { id } = JSON.parse(body) as { id: number };
        response.writeHead(200, headers);
        response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { numPeers: '0', peers: [] } }));
        return;
      }
      const answer = await fetch(`${nodeUrl}${request.url ?? ''}`, { method: 'POST', body, headers });
      response.writeHead(answer.status, headers).end(await answer.text());
    };
    // Whoever asks may give up, or be ended.
    answering().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
