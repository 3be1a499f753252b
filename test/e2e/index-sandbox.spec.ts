import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import type { DataSource } from 'typeorm';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.js';
import {
  makeAuditXChainScheduleId,
  X_CHAIN_DIFFERS,
  makeAuditPChainScheduleId,
  makePollValidatorsScheduleId,
  P_CHAIN_DIFFERS,
} from '../../workflows/contracts/scheduled.js';
import { makeIndexWorkflowId } from '../../workflows/contracts/index-chain.js';
import { eventually } from '../support/harness/eventually.js';
import { openDatabase } from '../support/harness/database.js';
import { triggerSchedule } from '../support/harness/schedules.js';
import { DEPRECATED_METHODS } from '../support/sandbox/deprecated-methods.js';
import { TestService } from '../support/harness/service.js';
import { failureOf } from '../support/harness/workflow-failure.js';

/** API and worker as processes, on the recorded chain that the sandbox serves. */
describe('the index of the sandbox', () => {
  let sandbox: Sandbox;
  let service: TestService;
  let connection: Connection;
  let client: Client;
  let database: DataSource;

  beforeAll(async () => {
    sandbox = await startSandbox({ validators: 5, blockIntervalMs: 0 });
    service = await TestService.start({
      nodeUrl: sandbox.url,
      env: { SANDBOX_NETWORKS: 'fuji', WORKER_SILENCE_MS: '1000' },
    });
    connection = await Connection.connect({ address: service.temporalAddress });
    client = new Client({ connection });
    database = await openDatabase(service.databaseUrl);
  });

  afterAll(async () => {
    await connection.close();
    await sandbox.stop();
  });

  const health = async () => {
    const { body } = await service.request('/v1/health-check');
    const { details } = body as {
      details: { fuji: { index?: Record<string, { state: string; message?: string }> } };
    };
    return details.fuji.index ?? {};
  };

  it.each(['p-chain', 'x-chain'])('starts with the worker and reaches the tip: %s', async (chain) => {
    await eventually('the tip', async () => {
      const { [chain]: part } = await health();
      return part?.state === 'running' && 'height' in part && 'tip' in part && part.height === part.tip;
    });
    const workflow = client.workflow.getHandle(makeIndexWorkflowId({ network: 'fuji', chain }));
    await eventually(
      'the memo tells',
      async () => (await workflow.describe()).memo?.['progress'] !== undefined,
    );
    expect((await workflow.describe()).status.name).toBe('RUNNING');
  });

  /** Every P-chain message about an L1 follows from a transaction that the lists or the chain show. */
  it('has its validators sign what the lists show, by the hash of a transaction', async () => {
    const { body } = await service.request('/v1/networks/fuji/subnets');
    const { subnets } = body as { subnets: { isL1: boolean; l1ConversionTransactionHash?: string }[] };
    const conversions = subnets.flatMap(({ l1ConversionTransactionHash: hash }) => hash ?? []);
    expect(conversions.length).toBe(subnets.filter(({ isL1 }) => isL1).length);
    expect(conversions.length).toBeGreaterThan(1);
    const changes = await database.query<{ txId: string; type: string }[]>(
      `SELECT encode(tx_id, 'hex') AS "txId", type FROM p_chain_transactions
        WHERE type IN ('RegisterL1Validator', 'SetL1ValidatorWeight') AND is_committed ORDER BY block_height`,
    );
    const answerTo = async (hash: string) =>
      service.request(`/v1/signatureAggregator/fuji/aggregateSignatures/${hash}`);
    for (const hash of conversions) expect(await answerTo(hash)).toMatchObject({ status: 200 });
    const statuses = new Map<string, Set<number>>();
    for (const { txId, type } of changes) {
      const { status, body: answer } = await answerTo(txId);
      statuses.set(type, (statuses.get(type) ?? new Set()).add(status));
      // Validators sign what is true now, and no longer what a later change has replaced or ended.
      if (status !== 200) {
        expect({ txId, type, status, answer }).toMatchObject({
          status: 404,
          answer: { message: expect.stringMatching(/ is over: | has replaced the weight /) },
        });
      }
    }
    expect([...statuses].filter(([, seen]) => !seen.has(200))).toEqual([]);
  });

  it('is not started twice when another worker comes', async () => {
    const workflow = client.workflow.getHandle(makeIndexWorkflowId({ network: 'fuji', chain: 'p-chain' }));
    const { runId } = await workflow.describe();
    await service.startWorker();
    expect((await workflow.describe()).runId).toBe(runId);
  });

  it('polls uptimes on a schedule', async () => {
    const handle = await triggerSchedule(client, makePollValidatorsScheduleId('fuji'));
    expect(await handle.result()).toMatchObject({ nodesAsked: 1 });
    const [row] = await database.query<{ polled: number }[]>(
      'SELECT count(uptime_performance)::int AS polled FROM validators',
    );
    expect(row?.polled).toBeGreaterThan(0);
  });

  it.each([
    {
      chain: 'p-chain',
      schedule: makeAuditPChainScheduleId('fuji'),
      tamper: 'UPDATE subnet_stakes SET supply = supply + 1',
      type: P_CHAIN_DIFFERS,
      found: 'supply: database',
    },
    {
      chain: 'x-chain',
      schedule: makeAuditXChainScheduleId('fuji'),
      tamper: `UPDATE assets SET symbol = 'X' || symbol`,
      type: X_CHAIN_DIFFERS,
      found: 'symbol: database X',
    },
  ])(
    'audits its $chain on a schedule, and fails visibly once a row is changed',
    async ({ chain, schedule, tamper, type, found }) => {
      const clean = await triggerSchedule(client, schedule);
      expect(await clean.result()).toMatchObject({ differences: [], skipped: [] });
      const shown = async () => (await health())[`${chain}-audit`];
      await eventually('health shows it', async () => (await shown())?.state === 'running');
      await database.query(tamper);
      const tampered = await triggerSchedule(client, schedule);
      const message = expect.stringContaining(found);
      expect(await failureOf(tampered)).toMatchObject({ type, message });
      await eventually('health shows what it found', async () => (await shown())?.state === 'stopped');
      expect(await shown()).toMatchObject({ state: 'stopped', message });
    },
  );

  it('has called no method of the node that 1.15 has deprecated', () => {
    const called = Object.keys(sandbox.calls);
    expect(called).toEqual(
      expect.arrayContaining(['platform.getTotalStake', 'platform.getCurrentValidators']),
    );
    expect(called.filter((method) => DEPRECATED_METHODS.includes(method))).toEqual([]);
  });
});
