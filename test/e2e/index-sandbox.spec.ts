import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, Connection, WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { setTimeout as delay } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.js';
import { makeIndexWorkflowId } from '../../workflows/contracts/index-chain.js';
import {
  makeAuditPChainScheduleId,
  makePollValidatorsScheduleId,
  P_CHAIN_DIFFERS,
} from '../../workflows/contracts/watch-p-chain.js';
import { eventually } from '../support/eventually.js';
import { openDatabase } from '../support/p-chain-index.js';
import { TestService } from '../support/service.js';

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
      env: { SANDBOX_NETWORKS: 'fuji', INDEX_POLL_MS: '100', INDEX_ADVANCE_MS: '2000' },
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

  /** Runs a schedule now and answers the workflow that it started. */
  const trigger = async (scheduleId: string) => {
    const schedule = client.schedule.getHandle(scheduleId);
    const before = new Set(
      (await schedule.describe()).info.recentActions.map(({ action }) => action.workflow.workflowId),
    );
    await schedule.trigger();
    let workflowId: string | undefined;
    await eventually(`${scheduleId} ran`, async () => {
      const { recentActions } = (await schedule.describe()).info;
      workflowId = recentActions
        .map(({ action }) => action.workflow.workflowId)
        .find((id) => !before.has(id));
      return workflowId !== undefined;
    });
    return client.workflow.getHandle(workflowId ?? '');
  };

  it.each(['p-chain', 'x-chain'])('of its %s starts with the worker and reaches the tip', async (chain) => {
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

  it('starts no second index when another worker comes', async () => {
    const workflow = client.workflow.getHandle(makeIndexWorkflowId({ network: 'fuji', chain: 'p-chain' }));
    const { runId } = await workflow.describe();
    await service.startWorker();
    expect((await workflow.describe()).runId).toBe(runId);
  });

  it('polls uptimes on a schedule', async () => {
    const handle = await trigger(makePollValidatorsScheduleId('fuji'));
    expect(await handle.result()).toMatchObject({ nodesAsked: 1 });
    const [row] = await database.query<{ polled: number }[]>(
      'SELECT count(uptime_performance)::int AS polled FROM validators',
    );
    expect(row?.polled).toBeGreaterThan(0);
  });

  it('audits on a schedule: equal first, and failing visibly once a row is changed', async () => {
    const clean = await trigger(makeAuditPChainScheduleId('fuji'));
    expect(await clean.result()).toMatchObject({ differences: [], skipped: [] });
    await eventually('health shows it', async () => (await health())['p-chain-audit']?.state === 'running');
    await database.query('UPDATE subnet_stakes SET supply = supply + 1');
    await delay(1_100); // the ids of a schedule's workflows have whole seconds in them
    const tampered = await trigger(makeAuditPChainScheduleId('fuji'));
    const error: unknown = await tampered.result().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(WorkflowFailedError);
    const cause = error instanceof WorkflowFailedError ? error.cause : undefined;
    expect(cause).toBeInstanceOf(ApplicationFailure);
    expect(cause).toMatchObject({
      type: P_CHAIN_DIFFERS,
      message: expect.stringContaining('supply: database'),
    });
    expect((await health())['p-chain-audit']).toMatchObject({
      state: 'stopped',
      message: expect.stringContaining('supply: database'),
    });
  });
});
