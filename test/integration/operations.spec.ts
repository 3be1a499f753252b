import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WorkflowNotFoundError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { OperationRepository } from '../../src/resources/operations/operation.repository.js';
import { projectFolder } from '../../src/platform/config/project-folder.js';
import {
  EXPORTS_QUEUE,
  makeExportTransactionsWorkflowId,
  type RecordOperationInput,
} from '../../workflows/contracts/export-transactions.js';
import { eventually } from '../support/harness/eventually.js';
import { isRecord } from '../support/http/list-api.js';
import { type Answer, OperationsApi } from '../support/http/operations-api.js';
import {
  ADDRESS,
  CHECKSUMMED,
  idOf,
  messageOf,
  metadataOf,
  now,
  OperationsBed,
  options,
  refused,
  TYPE,
  valid,
} from '../support/exports/operations-bed.js';
import { exportInput, FakeExport } from '../support/exports/operations-workflow.js';
import { OperationEntity } from '../../src/resources/operations/operation.entities.js';
import { DAY_SECONDS } from '../../src/platform/time.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Its operation is forgotten by Temporal in the course of the tests. */
const oldKey = { 'idempotency-key': randomUUID() };

/** A worker's activities without chains: rows are counted, states are kept. */
class KeptExport extends FakeExport {
  constructor(private readonly repository: OperationRepository) {
    super();
  }

  override async recordOperation(input: RecordOperationInput): Promise<void> {
    await super.recordOperation(input);
    await this.repository.save(input);
  }
}

describe('operations', () => {
  let bed: OperationsBed;
  let api: OperationsApi;

  beforeAll(async () => {
    Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });
    bed = await OperationsBed.start();
    ({ api } = bed);
  });

  afterAll(() => bed.stop());

  /** Lets a worker work for as long as the check takes. */
  async function withWorker(
    prepare: (activities: KeptExport) => void,
    check: (activities: KeptExport) => Promise<void>,
  ): Promise<void> {
    const activities = new KeptExport(new OperationRepository(api.dataSource.getRepository(OperationEntity)));
    prepare(activities);
    const native = await NativeConnection.connect({ address: bed.temporal.address });
    const worker = await Worker.create({
      connection: native,
      taskQueue: EXPORTS_QUEUE,
      activities: activities.asActivities(),
      workflowBundle: { codePath: join(projectFolder(), 'dist', 'workflow-bundle.js') },
      shutdownGraceTime: 0,
      maxHeartbeatThrottleInterval: 50,
    });
    await worker.runUntil(() => check(activities));
    await native.close();
  }

  const ended = (operationId: string) =>
    eventually('its workflow has ended', async () => {
      return (await bed.handleOf(operationId).describe()).status.name !== 'RUNNING';
    });

  /** How operations were answered before Temporal deleted them, which takes it a while. */
  const forgotten = new Map<string, Answer>();

  const forget = async (operationId: string, answer: Answer) => {
    const workflowId = makeExportTransactionsWorkflowId(operationId);
    await bed.client.workflowService.deleteWorkflowExecution({
      namespace: 'default',
      workflowExecution: { workflowId },
    });
    forgotten.set(operationId, answer);
  };

  const isForgotten = async (operationId: string): Promise<boolean> => {
    try {
      await bed.handleOf(operationId).describe();
      return false;
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return true;
      throw error;
    }
  };

  const finished = async (prepare: (activities: KeptExport) => void): Promise<string> => {
    let id = '';
    await withWorker(prepare, async () => {
      id = await bed.create();
      await ended(id);
    });
    return id;
  };

  it('answers at once with the record, and again when asked for it, with no worker', async () => {
    const before = now();
    const answer = await api.export(valid);
    const created = isRecord(answer.body) ? Number(answer.body['createdAtTimestamp']) : 0;
    expect(created).toBeGreaterThanOrEqual(before);
    expect(created).toBeLessThanOrEqual(now());
    const record = {
      operationId: expect.stringMatching(UUID),
      operationType: TYPE,
      operationStatus: 'RUNNING',
      message: 'accepted',
      metadata: {},
      createdAtTimestamp: created,
      updatedAtTimestamp: created,
    };
    expect(answer).toEqual({
      status: 201,
      contentType: 'application/json; charset=utf-8',
      retryAfter: null,
      body: record,
    });
    const running = { ...answer, status: 200, retryAfter: expect.stringMatching(/^[1-9]\d?$/) };
    const id = idOf(answer);
    expect(await api.get(id)).toEqual(running);
    expect(await api.get(id.toUpperCase())).toEqual(running);
    expect(await bed.inputOf(id)).toMatchObject({
      operationId: id,
      request: {
        addresses: [ADDRESS],
        chainIds: ['43113'],
        firstDate: '2026-01-01',
        lastDate: '2026-01-31',
        timeZone: 'UTC',
        format: 'standard',
      },
      limits: { maxRows: 20_000_000, maxNodeCalls: 1_000_000_000 },
      timeouts: { turnMs: 20_000, heartbeatMs: 20_000, giveUpMs: DAY_SECONDS * 1000 },
      retentionSeconds: 3 * DAY_SECONDS,
    });
  });

  it('puts a request into one form', async () => {
    const other = `0x${'AB'.repeat(20)}`;
    const id = await bed.create({
      ...valid,
      options: {
        addresses: [CHECKSUMMED, other, ADDRESS],
        includeChains: ['99999', '43114', '43113', '43114'],
      },
    });
    expect((await bed.inputOf(id)).request).toMatchObject({
      addresses: [ADDRESS, other.toLowerCase()],
      chainIds: ['43113', '43114', '99999'],
    });
  });

  it('starts the equal export of which only the claim is there, and answers with it', async () => {
    const request = { ...valid, firstDate: '2026-01-07' };
    const first = await bed.api.export(request);
    const claimed = randomUUID();
    // As if the process had ended between the claim and the start.
    await api.dataSource.query('UPDATE export_claims SET operation_id = $1 WHERE operation_id = $2', [
      claimed,
      isRecord(first.body) ? first.body['operationId'] : undefined,
    ]);
    expect(await api.export(request)).toMatchObject({ status: 201, body: { operationId: claimed } });
    expect(await api.get(claimed)).toMatchObject({ status: 200, body: { operationStatus: 'RUNNING' } });
  });

  describe('the record of an operation', () => {
    it('reports progress while it runs, also when its worker has died', async () => {
      let id = '';
      await withWorker(
        (activities) => (activities.length = 1_000_000),
        async (activities) => {
          id = await bed.create();
          await eventually('progress', async () =>
            String(messageOf(await api.get(id))).includes('rows so far'),
          );
          activities.isLong = true;
        },
      );
      const answer = await api.get(id);
      expect(answer).toMatchObject({
        status: 200,
        retryAfter: expect.stringMatching(/^[1-9]\d?$/),
        body: { operationStatus: 'RUNNING', metadata: {} },
      });
      expect(messageOf(answer)).toMatch(/^\d+00 rows so far, 12.5 % done, at chain 43113 and day 2026-01-04/);
      await bed.handleOf(id).terminate();
    });

    it('reports that something is tried again', async () => {
      await withWorker(
        (activities) =>
          (activities.failure = ApplicationFailure.create({
            type: 'STORAGE_UNAVAILABLE',
            message: '10.0.0.1',
          })),
        async (activities) => {
          const id = await bed.create();
          await eventually('an attempt has failed', async () => {
            const message = String(messageOf(await api.get(id)));
            return (
              message === 'accepted; the last attempt to go on failed (STORAGE_UNAVAILABLE) and is repeated'
            );
          });
          activities.failure = undefined;
          await ended(id);
          expect(messageOf(await api.get(id))).toMatch(/^\d+ rows$/);
        },
      );
    });

    it('names the file of a finished export until it is removed, whatever Temporal still knows', async () => {
      const id = await finished((activities) => (activities.length = 1));
      const answer = await api.get(id);
      expect(answer).toMatchObject({
        status: 200,
        body: { operationStatus: 'COMPLETED', message: '100 rows' },
      });
      expect(metadataOf(answer)).toEqual({
        downloadUrl: expect.stringMatching(
          new RegExp(`^${api.url}/v1/operations/${id}/transactions.csv\\?expires=\\d+&signature=[\\w-]{43}$`),
        ),
        proofUrl: expect.stringMatching(
          new RegExp(`^${api.url}/v1/operations/${id}/proof.json\\?expires=\\d+&signature=[\\w-]{43}$`),
        ),
      });
      await forget(id, answer);
    });

    it('names no file when its time is over, or when it was removed', async () => {
      const id = await finished((activities) => (activities.length = 1));
      await api.dataSource.query('UPDATE operations SET expires_at = $2 WHERE operation_id = $1', [
        id,
        now(),
      ]);
      const over = await api.get(id);
      expect(metadataOf(over)).toEqual({});
      expect(messageOf(over)).toBe('100 rows; the file was removed');
      await api.dataSource.query(
        'UPDATE operations SET expires_at = $2, files_removed = true WHERE operation_id = $1',
        [id, now() + 100],
      );
      expect(metadataOf(await api.get(id))).toEqual({});
    });

    it('names code, date and file of a truncated export', async () => {
      const id = await finished((activities) => {
        activities.length = 1;
        activities.end = { state: 'truncated', nextDate: '2026-01-17' };
      });
      const answer = await api.get(id);
      expect(answer).toMatchObject({ status: 200, body: { operationStatus: 'COMPLETED_WITH_WARNING' } });
      expect(metadataOf(answer)).toEqual({
        code: 'WarnTruncatedExport',
        nextDate: '2026-01-17',
        downloadUrl: expect.stringContaining(id),
        proofUrl: expect.stringContaining(id),
      });
      await forget(id, answer);
    });

    it('reports why an export failed, and names no file', async () => {
      const id = await finished((activities) => {
        activities.failure = ApplicationFailure.nonRetryable('http://10.0.0.1', 'FOREIGN_CHAIN');
      });
      const answer = await api.get(id);
      expect(answer).toMatchObject({
        status: 200,
        body: { operationStatus: 'FAILED', message: 'the export has failed (FOREIGN_CHAIN)' },
      });
      expect(metadataOf(answer)).toEqual({ code: 'ErrInternal' });
      await forget(id, answer);
    });

    it.each(['before its first step', 'while it ran'])(
      'reports for ever that an operator has terminated it %s',
      async (when) => {
        let id = '';
        if (when === 'while it ran') {
          await withWorker(
            (activities) => (activities.isLong = true),
            async (activities) => {
              id = await bed.create();
              await eventually('it runs', () => activities.attempts > 0);
              await bed.handleOf(id).terminate();
            },
          );
        } else {
          id = await bed.create();
          await bed.handleOf(id).terminate();
        }
        const answer = await api.get(id);
        expect(answer).toMatchObject({
          status: 200,
          body: { operationStatus: 'FAILED', message: 'the export was ended by an operator' },
        });
        expect(metadataOf(answer)).toEqual({ code: 'ErrInternal' });
        expect(await api.get(id)).toEqual(answer);
        await forget(id, answer);
      },
    );
  });

  describe('an Idempotency-Key', () => {
    const key = () => ({ 'idempotency-key': randomUUID() });

    it('makes a repeated request return the first operation', async () => {
      const headers = key();
      const id = await bed.create(valid, headers);
      const again = await api.export(
        { ...valid, options: { ...options, addresses: [CHECKSUMMED, ADDRESS] } },
        headers,
      );
      expect(again).toMatchObject({ status: 201, body: { operationId: id } });
      expect(id).toMatch(UUID);
      expect(await bed.create(valid, key())).not.toBe(id);
    });

    it('marks the answer to a repeated request, and names each time where the operation is', async () => {
      const headers = { 'content-type': 'application/json', ...key() };
      const post = () =>
        fetch(`${api.url}/v1/operations/transactions:export`, {
          method: 'POST',
          body: JSON.stringify(valid),
          headers,
        });
      const answers = [await post(), await post()];
      expect(answers.map((answer) => answer.headers.get('idempotent-replayed'))).toEqual([null, 'true']);
      const [location, again] = answers.map((answer) => answer.headers.get('location'));
      expect(again).toBe(location);
      expect(location).toBe(`/v1/operations/${idOf(await api.request(location ?? ''))}`);
    });

    it('holds for requests at the same time', async () => {
      const headers = key();
      const answers = await Promise.all(Array.from({ length: 20 }, () => api.export(valid, headers)));
      expect(new Set(answers.map(idOf)).size).toBe(1);
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    });

    it('refuses another request under the same key, also at the same time', async () => {
      const headers = key();
      const answers = await Promise.all(
        ['2026-01-01', '2026-01-02'].map((firstDate) => api.export({ ...valid, firstDate }, headers)),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 400]);
      const refusal = answers.find(({ status }) => status === 400);
      expect(messageOf(refusal ?? answers[0]!)).toBe(
        'Idempotency-Key: was used before, with another request',
      );
      refused(
        await api.export({ ...valid, firstDate: '2026-01-03' }, headers),
        400,
        'Idempotency-Key: was used before, with another request',
      );
    });

    it('still holds when the operation has ended', async () => {
      const id = await bed.create(valid, oldKey);
      await withWorker(
        (activities) => (activities.length = 1),
        async (activities) => {
          await ended(id);
          expect(await api.export(valid, oldKey)).toMatchObject({
            status: 201,
            body: { operationId: id, operationStatus: 'COMPLETED' },
          });
          expect(activities.inputs.filter(({ operationId }) => operationId === id)).toHaveLength(1);
        },
      );
      await forget(id, await api.get(id));
    });

    it('means the same to every process of the API', async () => {
      const headers = key();
      const publicUrl = 'https://data.example/base/';
      const other = await OperationsApi.start({
        temporalAddress: bed.temporal.address,
        databaseUrl: api.databaseUrl,
        env: { PUBLIC_URL: publicUrl },
      });
      const id = await bed.create(valid, headers);
      expect(idOf(await other.export(valid, headers))).toBe(id);
      await withWorker(
        (activities) => (activities.length = 1),
        async () => {
          await ended(id);
          expect(metadataOf(await other.get(id))).toEqual({
            downloadUrl: expect.stringMatching(
              new RegExp(
                `^${publicUrl}v1/operations/${id}/transactions.csv\\?expires=\\d+&signature=[\\w-]{43}$`,
              ),
            ),
            proofUrl: expect.stringContaining(`${publicUrl}v1/operations/${id}/proof.json?`),
          });
        },
      );
    });
  });

  describe('an operation that Temporal has forgotten', () => {
    it('is lost when it was running for Temporal', async () => {
      const kept: RecordOperationInput = {
        operationId: randomUUID(),
        type: TYPE,
        requestDigest: '00'.repeat(32),
        request: exportInput().request,
        state: { ...exportInput().state, message: '7 rows so far' },
      };
      await new OperationRepository(api.dataSource.getRepository(OperationEntity)).save(kept);
      const answer = await api.get(kept.operationId);
      expect(answer).toMatchObject({
        status: 200,
        body: {
          operationStatus: 'FAILED',
          message: 'the export was lost while it ran',
          metadata: { code: 'ErrInternal' },
        },
      });
      expect(await api.get(kept.operationId)).toEqual(answer);
    });

    it('is what it was when it had ended before', async () => {
      for (const id of forgotten.keys()) {
        await eventually('Temporal has forgotten', () => isForgotten(id));
      }
      expect(forgotten.size).toBe(6);
      for (const [id, answer] of forgotten) expect(await api.get(id)).toEqual(answer);
    });

    it('is not started again by its Idempotency-Key', async () => {
      const again = await api.export(valid, oldKey);
      expect(again.status).toBe(201);
      expect({ ...again, status: 200 }).toEqual(forgotten.get(idOf(again)));
      refused(
        await api.export({ ...valid, firstDate: '2026-01-03' }, oldKey),
        400,
        'Idempotency-Key: was used before, with another request',
      );
    });
  });

  it('is answered without Temporal once it is final; everything else is a 503 until Temporal is back', async () => {
    const id = await finished((activities) => (activities.length = 1));
    const running = await bed.create();
    const answer = await api.get(id);
    await bed.temporal.stop();
    const away = 'the workflow engine (Temporal) is not available, try again shortly';
    expect(await api.get(id)).toEqual(answer);
    refused(await api.get(running), 503, away, 'Service Unavailable');
    refused(await api.export(valid), 503, away, 'Service Unavailable');
    await bed.temporal.start();
    await eventually('Temporal is back', async () => (await api.get(running)).status === 200);
    await bed.create();
  });
});
