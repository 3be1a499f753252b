import { beforeEach, describe, expect, it } from '@jest/globals';
import type { OperationType } from '../../workflows/contracts/export-transactions.js';
import { randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';
import type { ApiPlan } from '../../src/access/keys/api-key.entities.js';
import type { Caller } from '../../src/access/keys/caller.js';
import { Database } from '../../src/platform/database/database.js';
import { ApiError } from '../../src/platform/http/errors/api-error.js';
import { ExportClaimsRepository } from '../../src/resources/operations/export/export-claims.repository.js';
import { ExportQuotas } from '../../src/resources/operations/export/export-quotas.js';
import { beginExport } from '../../src/exports/turns/export-position.js';
import { ExportPartsRepository } from '../../src/exports/turns/export-parts.repository.js';
import { onCleanup } from '../support/harness/cleanup.js';
import { eventually } from '../support/harness/eventually.js';
import { createTestDatabase } from '../support/harness/services.js';
import { ENTITIES } from '../support/entities.js';
import { ExportClaim } from '../../src/resources/operations/operation.entities.js';
import { patientDataSource } from '../support/harness/data-source-options.js';

const DIGEST = 'ab'.repeat(32);
const PLAN: ApiPlan = {
  plan: 'small',
  unitsPerMinute: 1,
  unitsPerDay: 1,
  runningExports: 2,
  storedExports: 4,
  storedBytes: 1_000,
  nodeCallsPerDay: 200,
  waitingAggregations: 1,
};
const callerOf = (owner: string): Caller => ({
  orgId: 'acme',
  apiKeyId: undefined,
  owner,
  site: undefined,
  plan: PLAN,
});
const [ours, theirs] = [callerOf('org:acme'), callerOf('org:umbrella')];

describe(ExportQuotas.name, () => {
  let dataSource: DataSource;
  let database: Database;
  let quotas: ExportQuotas;

  beforeEach(async () => {
    const { url } = await createTestDatabase();
    dataSource = await new DataSource(
      patientDataSource({ url, poolSize: 8, entities: ENTITIES }),
    ).initialize();
    const connected = dataSource;
    onCleanup(() => connected.destroy());
    database = new Database(dataSource);
    quotas = new ExportQuotas(new ExportClaimsRepository(dataSource.getRepository(ExportClaim)));
  });

  type Wanted = { digest?: string; mayJoin?: boolean; hasRoom?: boolean; id?: string; type?: OperationType };

  const claim = async (caller: Caller, wanted: Wanted = {}) => (await claimAll(caller, wanted)).operationId;

  const claimAll = (caller: Caller, wanted: Wanted = {}) =>
    quotas.claim(
      {
        operationId: wanted.id ?? randomUUID(),
        type: wanted.type ?? 'TRANSACTION_EXPORT_EVM',
        requestDigest: wanted.digest ?? randomUUID().replaceAll('-', '').repeat(2),
        mayJoin: wanted.mayJoin ?? true,
        hasRoom: wanted.hasRoom ?? true,
      },
      caller,
    );

  /** Record of the workflow at the end. */
  const end = (operationId: string, status: string, bytes = 0) =>
    dataSource.query(
      `INSERT INTO operations (operation_id, type, request_digest, status, message, row_count, byte_count, created_at, updated_at, expires_at)
       VALUES ($1, 'TRANSACTION_EXPORT_EVM', '\\x00', $2, '', 0, $3, 0, 0, extract(epoch FROM now()) + 3600)`,
      [operationId, status, bytes],
    );

  it('let each caller have a number of running exports', async () => {
    const first = await claim(ours);
    await claim(ours);
    await expect(claim(ours)).rejects.toMatchObject({
      statusCode: 429,
      message: 'the limit of 2 running exports is reached; you have 2',
    });
    await claim(theirs);
    await end(first, 'COMPLETED');
    await claim(ours);
  });

  it('hold when many ask at once', async () => {
    const claims = await Promise.allSettled(Array.from({ length: 12 }, () => claim(ours)));
    expect(claims.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
  });

  it('count what is stored, and not what has failed or is gone', async () => {
    for (const status of ['COMPLETED', 'COMPLETED_WITH_WARNING', 'FAILED', 'COMPLETED', 'COMPLETED']) {
      await end(await claim(ours), status, 10);
    }
    await expect(claim(ours)).rejects.toMatchObject({
      message: expect.stringContaining('stored exports'),
      // The first file that is removed makes room.
      retryAfterSeconds: expect.closeTo(3_600, -2),
    });
    await dataSource.query('UPDATE operations SET files_removed = true');
    await claim(ours);
  });

  it('count stored bytes', async () => {
    await end(await claim(ours), 'COMPLETED', 1_000);
    await expect(claim(ours)).rejects.toMatchObject({
      statusCode: 429,
      message: 'the limit of 1000 bytes of stored exports is reached; you have 1000',
    });
  });

  it('join equal exports of one caller while they run', async () => {
    const first = await claim(ours, { digest: DIGEST });
    expect(await claim(ours, { digest: DIGEST })).toBe(first);
    expect(await claim(theirs, { digest: DIGEST })).not.toBe(first);
    await end(first, 'COMPLETED');
    expect(await claim(ours, { digest: DIGEST })).not.toBe(first);
  });

  it('do not join what has an Idempotency-Key of its own', async () => {
    const first = await claim(ours, { digest: DIGEST });
    expect(await claim(ours, { digest: DIGEST, mayJoin: false })).not.toBe(first);
  });

  it('count an export once that is asked for again', async () => {
    const id = randomUUID();
    for (const _ of [1, 2, 3, 4]) expect(await claim(ours, { id })).toBe(id);
  });

  it('bound the blocks that the exports of a caller may read from nodes in a day', async () => {
    await eventually('a day that does not end meanwhile', async () => {
      const [day] = await dataSource.query<{ secondsLeft: number }[]>(
        `SELECT extract(epoch FROM date_trunc('day', now(), 'UTC') + interval '24 hours' - now())::float8 AS "secondsLeft"`,
      );
      return (day?.secondsLeft ?? 0) > 30;
    });
    const records = new ExportPartsRepository(database);
    const spendCalls = (operationId: string, nodeCalls: number) =>
      records.record({
        operationId,
        part: 0,
        storageKey: null,
        bytes: 0,
        storedBytes: 0,
        rows: 0,
        crc: 0,
        sha256: '',
        cut: null,
        position: { ...beginExport({ timeZone: 'UTC', firstDate: '2026-01-01' }), nodeCalls },
      });
    const first = await claimAll(ours);
    expect(first.maxNodeCalls).toBe(100);
    await spendCalls(first.operationId, 70);
    // While it runs, all that it may ask counts.
    const second = await claimAll(ours);
    expect(second.maxNodeCalls).toBe(100);
    await end(first.operationId, 'COMPLETED');
    await spendCalls(second.operationId, 100);
    await end(second.operationId, 'FAILED');
    const third = await claimAll(ours);
    expect(third.maxNodeCalls).toBe(30);
    expect(await claimAll(ours, { id: third.operationId })).toEqual(third);
    await expect(claim(ours)).rejects.toMatchObject({
      statusCode: 429,
      message: 'the limit of 200 calls to nodes for exports today is reached; you have 200',
      retryAfterSeconds: undefined,
    });
    const ledger = await claimAll(ours, { type: 'TRANSACTION_EXPORT_PRIMARY_NETWORK' });
    expect(ledger).toMatchObject({ maxNodeCalls: 0 });
    await end(ledger.operationId, 'FAILED');
    // Once nothing runs that could leave calls over, only the next day helps.
    await spendCalls(third.operationId, 30);
    await end(third.operationId, 'FAILED');
    const refusal: unknown = await claim(ours).catch((error: unknown) => error);
    if (!(refusal instanceof ApiError)) throw new Error('not refused');
    const nextDay = new Date(Date.now() + 1000 * (refusal.retryAfterSeconds ?? 0));
    expect(nextDay.toISOString()).toMatch(/T(00:00|23:59):/);
    expect((await claimAll(theirs)).maxNodeCalls).toBe(100);
    await dataSource.query('UPDATE export_claims SET claimed_at = claimed_at - 86400');
    expect((await claimAll(ours)).maxNodeCalls).toBe(100);
  });

  it('count an export that could not be started only if it begins nevertheless', async () => {
    for (const _ of [1, 2, 3]) await quotas.doubt(await claim(ours));
    const claims = new ExportClaimsRepository(dataSource.getRepository(ExportClaim));
    const listed = async (): Promise<string[]> =>
      (await claims.list(ours.owner, { after: undefined, limit: 10 })).map(
        ({ operation }) => operation.operationId,
      );
    expect(await listed()).toEqual([]);
    const late = [await claim(ours), await claim(ours)];
    for (const operationId of late) {
      await quotas.doubt(operationId);
      await end(operationId, 'RUNNING');
    }
    expect((await listed()).toSorted()).toEqual(late.toSorted());
    await expect(claim(ours)).rejects.toMatchObject({ statusCode: 429 });
  });

  it('refuse another export while there is no room, and join an equal one', async () => {
    const first = await claim(ours, { digest: DIGEST });
    expect(await claim(ours, { digest: DIGEST, hasRoom: false })).toBe(first);
    await expect(claim(ours, { hasRoom: false })).rejects.toMatchObject({ statusCode: 503 });
  });
});
