import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { toHex } from '../../src/avalanche/ids/hex.js';
import { idFromString } from '../../src/avalanche/ids/id.js';
import { packHash } from '../../src/avalanche/warp/payload/hash.js';
import { packUnsignedMessage } from '../../src/avalanche/warp/unsigned-message.js';
import { freePort } from '../../sandbox/local/processes/ports.js';
import { projectFolder } from '../../src/platform/config/project-folder.js';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.js';
import { eventually } from '../support/harness/eventually.js';
import type { SpawnedProcess } from '../support/harness/processes.js';
import { Scrape } from '../support/harness/scrape.js';
import { TestService } from '../support/harness/service.js';
import { startTemporalForTest } from '../support/harness/services.js';

const urlOf = (port: number): string => `http://127.0.0.1:${port}`;

const newMessage = (sandbox: Sandbox): string =>
  toHex(
    packUnsignedMessage({
      networkId: sandbox.networkId,
      sourceChainId: idFromString(sandbox.cChainId),
      payload: packHash({ hash: randomBytes(32) }),
    }),
  );

/** Of processes with a replica; read-replica.spec.ts has them. */
const OF_A_REPLICA: ReadonlySet<string> = new Set(['nds_replica_serving', 'nds_replica_lag_seconds']);

/** The SDK reports a failure only once there was one, and of activities in whose process there was one. */
const RARE: ReadonlySet<string> = new Set([
  'temporal_workflow_task_execution_failed_total',
  'temporal_workflow_failed_total',
  'temporal_request_failure_total',
]);

/** Names in the expressions of alarms and dashboards; a histogram's series by the name of the histogram. */
function metricsInUse(): string[] {
  const deploy = join(projectFolder(), 'deploy');
  const dashboards = join(deploy, 'grafana', 'dashboards');
  const files = [
    join(deploy, 'prometheus', 'alerts.yml'),
    ...readdirSync(dashboards).map((name) => join(dashboards, name)),
  ];
  const names = files.flatMap((file) =>
    Array.from(
      readFileSync(file, 'utf8').matchAll(/\b((?:nds|temporal|process|nodejs)_[a-z0-9_]+)(?=[[{ )"\n])/g),
      ([, name = '']) => name.replace(/_(bucket|sum|count)$/, ''),
    ),
  );
  return [...new Set(names)].sort();
}

describe('monitoring of an API and a worker', () => {
  let sandbox: Sandbox;
  let service: TestService;
  let temporal: Awaited<ReturnType<typeof startTemporalForTest>>;
  let worker: SpawnedProcess;
  let api: { metrics: string };
  let workerMetrics: string;

  beforeAll(async () => {
    sandbox = await startSandbox({ validators: 5 });
    temporal = await startTemporalForTest();
    const [apiPort, workerPort] = [await freePort(), await freePort()];
    api = { metrics: urlOf(apiPort) };
    workerMetrics = urlOf(workerPort);
    service = await TestService.start({
      nodeUrl: sandbox.url,
      isHosted: true,
      temporalAddress: temporal.address,
      env: {
        METRICS_ADDRESS: String(apiPort),
        WORKER_QUEUES: 'indexing',
        AGGREGATION_TIMEOUT_MS: '100000', // and so five seconds for the first attempt
      },
    });
    worker = await service.startWorker({ METRICS_ADDRESS: String(workerPort) });
  });

  afterAll(() => sandbox.stop());

  it('counts requests by route, and reveals nothing of what callers put into them', async () => {
    await service.request('/v1/chains?hush=hush');
    await service.request('/v1/operations/hush-operation');
    await service.request('/hush/nowhere', { headers: { 'x-data-api-key': 'nds_hush' } });
    const scrape = await Scrape.of(api.metrics);
    const requests = (labels: Record<string, string>) =>
      scrape.value('nds_http_request_duration_seconds_count', labels);
    expect(requests({ method: 'GET', route: '/v1/chains' })).toBe(1);
    expect(requests({ route: '/v1/operations/{operationId}', status: '400' })).toBe(1);
    expect(requests({ route: 'unknown', status: '401' })).toBe(1);
    expect(scrape.value('nds_refused_requests_total', { reason: 'unknown_key' })).toBe(1);
    expect(scrape.text).not.toContain('hush');
  });

  it('counts aggregations by where their answer came from, and what validators answered', async () => {
    const body = { message: newMessage(sandbox) };
    await service.aggregate(body);
    await eventually('the stored answer', async () => {
      await service.aggregate(body);
      const scrape = await Scrape.of(api.metrics);
      return (scrape.value('nds_aggregation_duration_seconds_count', { outcome: 'stored' }) ?? 0) > 0;
    });
    const scrape = await Scrape.of(api.metrics);
    expect(scrape.value('nds_aggregation_duration_seconds_count', { outcome: 'collected' })).toBeGreaterThan(
      0,
    );
    expect(scrape.value('nds_collection_duration_seconds_count', { outcome: 'signed' })).toBeGreaterThan(0);
    const signatures = { network: 'fuji', answer: 'signature' };
    expect(scrape.value('nds_validator_answers_total', signatures)).toBeGreaterThan(0);
  });

  it('shows the connections to validators', async () => {
    await eventually('all stake connected', async () => {
      const scrape = await Scrape.of(api.metrics);
      return scrape.value('nds_p2p_connected_stake_ratio', { network: 'fuji', subnet: 'primary' }) === 1;
    });
    const scrape = await Scrape.of(api.metrics);
    expect(scrape.value('nds_p2p_nodes', { state: 'connected' })).toBe(5);
    expect(scrape.value('nds_p2p_dials_total', { outcome: 'connected' })).toBe(5);
    expect(scrape.value('nds_p2p_messages_total', { direction: 'received', op: 'handshake' })).toBe(5);
    expect(scrape.value('nds_p2p_bytes_total', { direction: 'sent', op: 'appRequest' })).toBeGreaterThan(0);
  });

  it('shows where each index stands, which workers there are, and what nodes are asked', async () => {
    await eventually('the indexed P-chain, and its worker', async () => {
      const scrape = await Scrape.of(api.metrics);
      const height = scrape.value('nds_index_height', { network: 'fuji', chain: 'p-chain' });
      const workers = scrape.value('nds_task_queue_workers', { queue: 'indexing' });
      return height !== undefined && height > 0 && workers === 1;
    });
    const [ofApi, ofWorker] = [await Scrape.of(api.metrics), await Scrape.of(workerMetrics)];
    expect(ofApi.value('nds_index_state', { chain: 'p-chain', state: 'running' })).toBe(1);
    expect(ofApi.value('nds_index_lag_seconds', { chain: 'p-chain' })).toBeLessThan(60);
    expect(ofApi.value('nds_task_queue_workers', { queue: 'exports' })).toBe(0);
    const blocks = { host: new URL(sandbox.url).host, method: 'platform.getBlockByHeight', outcome: 'ok' };
    const ranges = { ...blocks, method: 'index.getContainerRange' };
    const asked =
      (ofWorker.value('nds_node_requests_total', blocks) ?? 0) +
      (ofWorker.value('nds_node_requests_total', ranges) ?? 0);
    expect(asked).toBeGreaterThan(0);
  });

  it.each([
    ['API', () => api.metrics],
    ['worker', () => workerMetrics],
  ])('shows of an %s what the SDK and Node.js report, under names that nobody else has', async (who, url) => {
    const { names, value } = await Scrape.of(url()).then((scrape) => ({
      names: scrape.names,
      value: scrape.value.bind(scrape),
    }));
    expect(names).toHaveLength(new Set(names).size);
    expect(names.filter((name) => !/^(nds|temporal|process|nodejs)_/.test(name))).toEqual([]);
    expect(value('temporal_worker_task_slots_available')).toBeGreaterThan(0);
    expect(value('process_cpu_seconds_total')).toBeGreaterThan(0);
    // One more for each index that may run here: the P- and the X-chain.
    expect(value('nds_database_connections', { state: 'max' })).toBe(who === 'worker' ? 12 : 10);
  });

  it('answers 404 in the one error body at the port of the metrics', async () => {
    const response = await fetch(`${workerMetrics}/nothing`);
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({
      message: 'there are /metrics, /live and /ready',
      statusCode: 404,
      error: 'Not Found',
    });
  });

  it('exports every metric that an alarm or a dashboard asks for', async () => {
    let missing: string[] = [];
    const areThere = async (): Promise<boolean> => {
      const scrapes = await Promise.all([Scrape.of(api.metrics), Scrape.of(workerMetrics)]);
      const exported = new Set(scrapes.flatMap(({ names }) => names));
      missing = metricsInUse().filter(
        (name) => !exported.has(name) && !RARE.has(name) && !OF_A_REPLICA.has(name),
      );
      return missing.length === 0;
    };
    // The SDK reports the end of a workflow once there was one.
    await eventually('all metrics', areThere).catch(() => undefined);
    expect(missing).toEqual([]);
  });

  it('distinguishes liveness from readiness while Temporal is away', async () => {
    const ready = async (url: string) => {
      const response = await fetch(url);
      return { status: response.status, body: await response.json() };
    };
    const probes = [`${service.url}/v1/ready-check`, `${api.metrics}/ready`, `${workerMetrics}/ready`];
    const areAll = (status: number) => async () =>
      (await Promise.all(probes.map(ready))).every((answer) => answer.status === status);
    await eventually('readiness', areAll(200));
    await temporal.stop();
    await eventually('processes that are not ready', areAll(503));
    expect((await ready(probes[0]!)).body).toMatchObject({
      status: 'error',
      details: { database: { status: 'up' }, temporal: { status: 'down', message: expect.any(String) } },
    });
    expect(await service.request('/v1/health-check')).toMatchObject({
      status: 503,
      body: { status: 'error', error: { temporal: { status: 'down' } } },
    });
    expect((await fetch(`${workerMetrics}/live`)).status).toBe(200);
    expect((await service.request('/v1/live-check')).status).toBe(200);
    await temporal.start();
    await eventually('readiness', areAll(200));
    await eventually('an aggregation', async () => {
      const { status } = await service.aggregate({ message: newMessage(sandbox) });
      return status === 201;
    });
  });

  it('lets requests end when the process has to end, takes nothing new, and cuts off the rest', async () => {
    for (const validator of sandbox.validators) validator.setBehaviour({ kind: 'slow', delayMs: 4_000 });
    const { hostname, port } = new URL(service.url);
    const endless = connect(Number(port), hostname);
    endless.on('error', () => undefined); // when it is cut off
    endless.write('POST /v1/operations/transactions:export HTTP/1.1\r\nHost: here\r\nContent-Length: 9\r\n');
    endless.write('Content-Type: application/json\r\n\r\n{');
    await eventually('the endless request', async () => {
      const scrape = await Scrape.of(api.metrics);
      return scrape.value('nds_http_requests_in_flight') === 1;
    });
    const asked = sandbox.validators.map(({ requests }) => requests);
    const answer = fetch(`${service.url}/v1/signatureAggregator/fuji/aggregateSignatures`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ message: newMessage(sandbox) }),
    });
    // It is under way for as long as they take to answer.
    await eventually('the validators are asked', () =>
      sandbox.validators.some(({ requests }, index) => requests > (asked[index] ?? 0)),
    );
    service.api.signal('SIGTERM');
    await eventually('a process that is not ready', async () => {
      const response = await fetch(`${api.metrics}/ready`);
      return response.status === 503 && /shutting_down/.test(await response.text());
    });
    await eventually('a closed door', () =>
      fetch(`${service.url}/v1/live-check`).then(
        () => false,
        () => true,
      ),
    );
    const { status, headers } = await answer;
    expect(status).toBe(201);
    expect(headers.get('connection')).toBe('close');
    expect(await service.api.exited).toEqual({ code: 0, signal: null });
    expect(service.api.output).toContain('not answered within 20000 ms are cut off');
    worker.signal('SIGTERM');
    expect(await worker.exited).toEqual({ code: 0, signal: null });
  });
});
