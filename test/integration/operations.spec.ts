import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, Connection, WorkflowNotFoundError } from '@temporalio/client';
import { ApplicationFailure, defaultPayloadConverter } from '@temporalio/common';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { Database } from '../../src/database/database.js';
import { evmChainKey } from '../../src/database/chains.js';
import { OperationRepository } from '../../src/operations/operation.repository.js';
import { EvmPartitions } from '../../src/evm-index/partitions.js';
import { dayOf } from '../../src/transaction-exports/days.js';
import { projectFolder } from '../../src/embedded/project-folder.js';
import {
  EXPORTS_QUEUE,
  type ExportTransactionsInput,
  makeExportTransactionsWorkflowId,
  type RecordOperationInput,
} from '../../workflows/contracts/export-transactions.js';
import { eventually } from '../support/eventually.js';
import { isRecord } from '../support/list-api.js';
import { type Answer, OperationsApi } from '../support/operations-api.js';
import { exportInput, FakeExport } from '../support/operations-workflow.js';
import { DELETES_AT_ONCE, type RestartableServer, startTemporalForTest } from '../support/services.js';
import type { TemporalServer } from '../../src/embedded/temporal-server.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
/** Of EIP-55's own examples. */
const CHECKSUMMED = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const ADDRESS = CHECKSUMMED.toLowerCase();
const TYPE = 'TRANSACTION_EXPORT_EVM';
const DAY_SECONDS = 86_400;
const now = () => Math.floor(Date.now() / 1000);
const today = () => dayOf(now());

const options = { addresses: [ADDRESS], includeChains: ['43113'] };
const valid = { type: TYPE, firstDate: '2026-01-01', lastDate: '2026-01-31', options };

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
  let temporal: RestartableServer<TemporalServer> & { address: string };
  let api: OperationsApi;
  let client: Client;
  let connection: Connection;

  beforeAll(async () => {
    Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });
    temporal = await startTemporalForTest({ dynamicConfig: DELETES_AT_ONCE });
    connection = await Connection.connect({ address: temporal.address });
    client = new Client({ connection });
    api = await OperationsApi.start({ temporalAddress: temporal.address });
  });

  afterAll(() => connection.close());

  const refused = (answer: Answer, status: number, message: string, error = 'Bad Request') => {
    expect(answer).toEqual({
      status,
      contentType: 'application/json; charset=utf-8',
      body: { message, statusCode: status, error },
    });
  };

  const handleOf = (operationId: string) =>
    client.workflow.getHandle(makeExportTransactionsWorkflowId(operationId));

  /** Creates an operation and answers its id. */
  async function create(body: unknown = valid, headers: Record<string, string> = {}): Promise<string> {
    const answer = await api.export(body, headers);
    expect(answer).toMatchObject({ status: 201, body: { operationStatus: 'RUNNING' } });
    return idOf(answer);
  }

  function idOf({ body }: Answer): string {
    if (!isRecord(body) || typeof body['operationId'] !== 'string') throw new Error('no operation id');
    return body['operationId'];
  }

  const metadataOf = ({ body }: Answer): unknown => (isRecord(body) ? body['metadata'] : undefined);
  const messageOf = ({ body }: Answer): unknown => (isRecord(body) ? body['message'] : undefined);

  /** What the workflow was started with. */
  async function inputOf(operationId: string): Promise<ExportTransactionsInput> {
    const { events } = await handleOf(operationId).fetchHistory();
    const [payload] = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
    if (payload === undefined) throw new Error('no input');
    return defaultPayloadConverter.fromPayload(payload);
  }

  /** Lets a worker work for as long as the check takes. */
  async function withWorker(
    prepare: (activities: KeptExport) => void,
    check: (activities: KeptExport) => Promise<void>,
  ): Promise<void> {
    const activities = new KeptExport(new OperationRepository(api.dataSource));
    prepare(activities);
    const native = await NativeConnection.connect({ address: temporal.address });
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
      return (await handleOf(operationId).describe()).status.name !== 'RUNNING';
    });

  /** How operations were answered before Temporal was told to forget them, which takes it a while. */
  const forgotten = new Map<string, Answer>();

  const forget = async (operationId: string, answer: Answer) => {
    const workflowId = makeExportTransactionsWorkflowId(operationId);
    await client.workflowService.deleteWorkflowExecution({
      namespace: 'default',
      workflowExecution: { workflowId },
    });
    forgotten.set(operationId, answer);
  };

  const isForgotten = async (operationId: string): Promise<boolean> => {
    try {
      await handleOf(operationId).describe();
      return false;
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return true;
      throw error;
    }
  };

  const finished = async (prepare: (activities: KeptExport) => void): Promise<string> => {
    let id = '';
    await withWorker(prepare, async () => {
      id = await create();
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
    expect(answer).toEqual({ status: 201, contentType: 'application/json; charset=utf-8', body: record });
    const id = idOf(answer);
    expect(await api.get(id)).toEqual({ ...answer, status: 200 });
    expect(await api.get(id.toUpperCase())).toEqual({ ...answer, status: 200 });
    expect(await inputOf(id)).toMatchObject({
      operationId: id,
      request: { addresses: [ADDRESS], chainIds: ['43113'], firstDate: '2026-01-01', lastDate: '2026-01-31' },
      limits: { maxRows: 20_000_000, maxScannedBlocks: 200_000 },
      timeouts: { turnMs: 10_000, heartbeatMs: 500, giveUpMs: DAY_SECONDS * 1000 },
      retentionSeconds: 3 * DAY_SECONDS,
    });
  });

  it('puts a request into one form', async () => {
    const other = `0x${'AB'.repeat(20)}`;
    const id = await create({
      ...valid,
      options: {
        addresses: [CHECKSUMMED, other, ADDRESS],
        includeChains: ['99999', '43114', '43113', '43114'],
      },
    });
    expect((await inputOf(id)).request).toMatchObject({
      addresses: [ADDRESS, other.toLowerCase()],
      chainIds: ['43113', '43114', '99999'],
    });
  });

  describe('the record', () => {
    it('tells progress while it runs, also when its worker has died', async () => {
      let id = '';
      await withWorker(
        (activities) => (activities.length = 1_000_000),
        async (activities) => {
          id = await create();
          await eventually('progress', async () =>
            String(messageOf(await api.get(id))).includes('rows so far'),
          );
          activities.isLong = true;
        },
      );
      const answer = await api.get(id);
      expect(answer).toMatchObject({ status: 200, body: { operationStatus: 'RUNNING', metadata: {} } });
      expect(messageOf(answer)).toMatch(/^\d+00 rows so far, 12.5 % done, at chain 43113 and day 2026-01-04/);
      await handleOf(id).terminate();
    });

    it('tells that something is tried again', async () => {
      await withWorker(
        (activities) =>
          (activities.failure = ApplicationFailure.create({
            type: 'STORAGE_UNAVAILABLE',
            message: '10.0.0.1',
          })),
        async (activities) => {
          const id = await create();
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

    it('has the file of a finished export until it is removed, whatever Temporal still knows', async () => {
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
      });
      await forget(id, answer);
    });

    it('has no file when its time is over, or when it was removed', async () => {
      const id = await finished((activities) => (activities.length = 1));
      await api.dataSource.query('UPDATE operations SET expires_at = $2 WHERE operation_id = $1', [
        id,
        now(),
      ]);
      const over = await api.get(id);
      expect(metadataOf(over)).toEqual({});
      expect(messageOf(over)).toBe('100 rows; the file was kept for its time and is removed');
      await api.dataSource.query(
        'UPDATE operations SET expires_at = $2, files_removed = true WHERE operation_id = $1',
        [id, now() + 100],
      );
      expect(metadataOf(await api.get(id))).toEqual({});
    });

    it('has code, date and file of a truncated export', async () => {
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
      });
      await forget(id, answer);
    });

    it('says why an export failed, and has no file', async () => {
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
      'says that an operator has terminated it %s, for ever',
      async (when) => {
        let id = '';
        if (when === 'while it ran') {
          await withWorker(
            (activities) => (activities.isLong = true),
            async (activities) => {
              id = await create();
              await eventually('it runs', () => activities.attempts > 0);
              await handleOf(id).terminate();
            },
          );
        } else {
          id = await create();
          await handleOf(id).terminate();
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
      const id = await create(valid, headers);
      const again = await api.export(
        { ...valid, options: { ...options, addresses: [CHECKSUMMED, ADDRESS] } },
        headers,
      );
      expect(again).toMatchObject({ status: 201, body: { operationId: id } });
      expect(id).toMatch(UUID);
      expect(await create(valid, key())).not.toBe(id);
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
      const id = await create(valid, oldKey);
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
        temporalAddress: temporal.address,
        databaseUrl: api.databaseUrl,
        env: { PUBLIC_URL: publicUrl },
      });
      const id = await create(valid, headers);
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
          });
        },
      );
    });
  });

  describe('dates', () => {
    const datesOf = async (dates: object) => {
      const { firstDate, lastDate } = (await inputOf(await create({ type: TYPE, options, ...dates })))
        .request;
      return [firstDate, lastDate];
    };

    it('may come under their old names, which give way to the new ones', async () => {
      expect(await datesOf({ startDate: '2026-01-01', endDate: '2026-02-01' })).toEqual([
        '2026-01-01',
        '2026-02-01',
      ]);
      expect(
        await datesOf({ startDate: '2026-01-01', endDate: '2026-02-01', firstDate: '2025-12-31' }),
      ).toEqual(['2025-12-31', '2026-02-01']);
      expect(
        await datesOf({ startDate: '2026-01-01', endDate: '2020-02-01', lastDate: '2026-02-02' }),
      ).toEqual(['2026-01-01', '2026-02-02']);
    });

    it('may end in the future', async () => {
      expect(await datesOf({ firstDate: '2026-01-01', lastDate: '2099-12-31' })).toEqual([
        '2026-01-01',
        '2099-12-31',
      ]);
    });

    it('may be left out: to today, from the first day that is indexed of any of the chains', async () => {
      expect(await datesOf({})).toEqual([today(), today()]);
      expect(await datesOf({ lastDate: '2026-01-05' })).toEqual(['2026-01-05', '2026-01-05']);
      expect(await datesOf({ firstDate: '2026-01-05' })).toEqual(['2026-01-05', today()]);

      const firstTime = now() - 400 * DAY_SECONDS;
      const secondTime = firstTime - 500 * DAY_SECONDS;
      const fuji = { network: 'fuji', chainId: 43113n } as const;
      const mainnet = { network: 'mainnet', chainId: 43114n } as const;
      const partitions = new EvmPartitions(new Database(api.dataSource));
      await partitions.ensure(fuji, { from: 0n, to: 1n }, 1);
      await partitions.ensure(mainnet, { from: 700n, to: 700n }, 1);
      await api.dataSource.query(
        `INSERT INTO evm_blocks (chain_key, height, hash, block_time, needs_trace)
         VALUES ($3, 0, '', 0, false), ($3, 1, '', $1, false), ($4, 700, '', $2, false)`,
        [firstTime, secondTime, evmChainKey(fuji).toString(), evmChainKey(mainnet).toString()],
      );
      await api.dataSource.query(
        `INSERT INTO index_coverage (network, chain, facet, from_height, to_height, status, version)
         VALUES ('fuji', 'evm-43113', 'base', 0, 700, 'complete', 1), ('mainnet', 'evm-43114', 'base', 700, 700, 'complete', 1)`,
      );
      expect(await datesOf({})).toEqual([dayOf(firstTime), today()]);
      const both = { addresses: [ADDRESS], includeChains: ['43113', '43114', '99999'] };
      expect(await datesOf({ options: both })).toEqual([dayOf(secondTime), today()]);
      expect(await datesOf({ lastDate: '2000-01-05' })).toEqual(['2000-01-05', '2000-01-05']);
    });
  });

  describe('bad input', () => {
    const with_ = (changes: object) => ({ ...valid, ...changes });
    const withOptions = (changes: object) => ({ ...valid, options: { ...options, ...changes } });
    const tomorrow = dayOf(now() + DAY_SECONDS);
    const addressRule = 'must be an address: 0x and 40 hex digits';
    const dateRule = 'must be a date, YYYY-MM-DD, from 1970-01-01 on';
    const chainIdRule = 'must be an EVM chain id in decimal digits, e.g. "43114"';
    const configured = 'configured are 43114 (C-Chain), 43113 (Fuji C-Chain), 99999 (An L1)';

    it.each<[string, unknown, string]>([
      ['no JSON object: a list', [], 'the body must be a JSON object'],
      ['no JSON object: null', null, 'the body must be a JSON object'],
      ['no JSON object: text', '"x"', 'the body must be a JSON object'],
      ['an unknown property', with_({ formatt: 'csv' }), 'unknown property formatt'],
      [
        'many unknown properties',
        with_(Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`${i}`.padStart(200, 'x'), i]))),
        `unknown property ${Array.from({ length: 5 }, () => 'x'.repeat(40)).join(', ')}, and 95 more`,
      ],
      ['no type', with_({ type: undefined }), `type: must be ${TYPE}`],
      ['another type', with_({ type: 'TRANSACTION_EXPORT_PRIMARY_NETWORK' }), `type: must be ${TYPE}`],
      [
        'no options',
        with_({ options: undefined }),
        'options: must be an object with addresses and includeChains',
      ],
      [
        'a list as options',
        with_({ options: [] }),
        'options: must be an object with addresses and includeChains',
      ],
      ['an unknown option', withOptions({ hasNative: true }), 'options: unknown property hasNative'],
      [
        'no addresses',
        withOptions({ addresses: undefined }),
        'options.addresses: must be a list of addresses',
      ],
      [
        'addresses as text',
        withOptions({ addresses: ADDRESS }),
        'options.addresses: must be a list of addresses',
      ],
      ['an empty list', withOptions({ addresses: [] }), 'options.addresses: must name at least one address'],
      ['a number', withOptions({ addresses: [7] }), `options.addresses.0: ${addressRule}`],
      [
        'a short address',
        withOptions({ addresses: [ADDRESS, ADDRESS.slice(1)] }),
        `options.addresses.1: ${addressRule}`,
      ],
      ['a bech32 address', withOptions({ addresses: ['P-avax1x'] }), `options.addresses.0: ${addressRule}`],
      [
        'a wrong checksum',
        withOptions({ addresses: [CHECKSUMMED.replace('5aA', '5AA')] }),
        'options.addresses.0: must have the right upper and lower case letters (EIP-55 checksum), or only lower case ones',
      ],
      [
        'too many addresses',
        withOptions({ addresses: Array.from({ length: 65 }, (_, i) => `0x${String(i).padStart(40, '0')}`) }),
        'options.addresses: must not be more than 64 different ones',
      ],
      [
        'no chains',
        withOptions({ includeChains: undefined }),
        'options.includeChains: must be a list of EVM chain ids',
      ],
      [
        'an empty list of chains',
        withOptions({ includeChains: [] }),
        'options.includeChains: must name at least one EVM chain id',
      ],
      [
        'a chain id as number',
        withOptions({ includeChains: [43113] }),
        `options.includeChains.0: ${chainIdRule}`,
      ],
      [
        'a chain id in hex',
        withOptions({ includeChains: ['0xa869'] }),
        `options.includeChains.0: ${chainIdRule}`,
      ],
      [
        'an unknown chain',
        withOptions({ includeChains: ['43113', '1'] }),
        `options.includeChains: 1 is not an EVM chain of this service; ${configured}`,
      ],
      ['another form of a date', with_({ firstDate: '2026-1-1' }), `firstDate: ${dateRule}`],
      ['a time', with_({ lastDate: '2026-01-01T00:00:00Z' }), `lastDate: ${dateRule}`],
      ['a number as date', with_({ startDate: 20260101 }), `startDate: ${dateRule}`],
      ['a day that never was', with_({ firstDate: '2023-02-30' }), `firstDate: ${dateRule}`],
      ['no leap year', with_({ endDate: '2025-02-29' }), `endDate: ${dateRule}`],
      ['a month too many', with_({ firstDate: '2023-13-01' }), `firstDate: ${dateRule}`],
      ['a day before all', with_({ firstDate: '1969-12-31' }), `firstDate: ${dateRule}`],
      [
        'last before first',
        with_({ firstDate: '2026-01-02', lastDate: '2026-01-01' }),
        'firstDate: must not be after lastDate (2026-01-02, 2026-01-01)',
      ],
      [
        'a future',
        with_({ firstDate: tomorrow, lastDate: tomorrow }),
        `firstDate: must not be after today, ${today()} (UTC)`,
      ],
      [
        'an old name in future',
        { type: TYPE, options, startDate: tomorrow },
        `startDate: must not be after today, ${today()} (UTC)`,
      ],
      [
        'too long a time',
        with_({ firstDate: '2000-01-01', lastDate: '2026-01-31' }),
        'firstDate: must be at most 3660 days from lastDate, which is 2026-01-31',
      ],
      [
        'several problems',
        { type: 'X', options: { addresses: [], includeChains: ['x'] } },
        `type: must be ${TYPE}; options.addresses: must name at least one address; options.includeChains.0: ${chainIdRule}`,
      ],
    ])('%s: 400', async (_name, body, message) => {
      refused(await api.export(body), 400, message);
    });

    it.each([
      ['malformed JSON', '{"type":'],
      ['an empty body', ''],
    ])('%s: 400', async (_name, body) => {
      const answer = await api.export(body);
      refused(answer, 400, String(messageOf(answer)));
    });

    it.each([
      ['nothing', ''],
      ['two words', 'two words'],
      ['other letters', 'ä'],
      ['too much', 'x'.repeat(256)],
    ])('%s as Idempotency-Key: 400', async (_name, key) => {
      refused(
        await api.export(valid, { 'idempotency-key': key }),
        400,
        'Idempotency-Key: must be 1 to 255 visible ASCII characters',
      );
    });

    it.each(['x', '1234', `${randomUUID()}0`, 'transactions'])('operation id %s: 400', async (id) => {
      refused(await api.get(id), 400, 'operationId: must be a UUID');
    });

    it('an unknown operation: 404', async () => {
      const id = randomUUID();
      refused(await api.get(id), 404, `there is no operation ${id}`, 'Not Found');
    });

    it.each(['a b', 'user@host', 'host/path', 'host:99999'])('Host %j: 400', async (host) => {
      const id = await create();
      const { hostname, port } = new URL(api.url);
      const status = await new Promise<number | undefined>((resolve, reject) => {
        httpRequest({ hostname, port, path: `/v1/operations/${id}`, headers: { host } }, (response) => {
          response.resume();
          resolve(response.statusCode);
        })
          .on('error', reject)
          .end();
      });
      expect(status).toBe(400);
    });
  });

  it('is described by the OpenAPI page as it is', async () => {
    const { body } = await api.request('/docs-json');
    const paths = isRecord(body) ? body['paths'] : undefined;
    if (!isRecord(paths)) throw new Error('no paths');
    expect(paths).toMatchObject({
      '/v1/operations/transactions:export': {
        post: {
          parameters: [{ name: 'Idempotency-Key', in: 'header', required: false }],
          responses: { 201: {}, 400: {}, 503: {} },
        },
      },
      '/v1/operations/{operationId}': {
        get: { parameters: [{ name: 'operationId', in: 'path' }], responses: { 200: {}, 404: {} } },
      },
    });
  });

  describe('an operation that Temporal has forgotten', () => {
    it('that was running for Temporal: it is lost', async () => {
      const kept: RecordOperationInput = {
        operationId: randomUUID(),
        type: TYPE,
        requestDigest: '00'.repeat(32),
        request: exportInput().request,
        state: { ...exportInput().state, message: '7 rows so far' },
      };
      await new OperationRepository(api.dataSource).save(kept);
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

    it('that had ended before: it is what it was', async () => {
      for (const id of forgotten.keys())
        await eventually('Temporal has forgotten', () => isForgotten(id), 60_000);
      expect(forgotten.size).toBe(6);
      for (const [id, answer] of forgotten) expect(await api.get(id)).toEqual(answer);
    });

    it('that an Idempotency-Key stands for: it is not started again', async () => {
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
    const running = await create();
    const answer = await api.get(id);
    await temporal.stop();
    const away = 'the workflow engine (Temporal) is not available, try again shortly';
    expect(await api.get(id)).toEqual(answer);
    refused(await api.get(running), 503, away, 'Service Unavailable');
    refused(await api.export(valid), 503, away, 'Service Unavailable');
    await temporal.start();
    await eventually('Temporal is back', async () => (await api.get(running)).status === 200);
    await create();
  });
});
