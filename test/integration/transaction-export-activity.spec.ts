import { beforeAll, describe, expect, it } from '@jest/globals';
import { CancelledFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { TransactionExportActivities } from '../../activities/transaction-export.activities.js';
import { Database } from '../../src/platform/database/database.js';
import { FolderStorage } from '../../src/exports/storage/folder-storage.js';
import { OperationRepository } from '../../src/resources/operations/operation.repository.js';
import { Metrics } from '../../src/platform/metrics/metrics.js';
import { ExportMetrics } from '../../src/exports/export-metrics.js';
import { ExpiredExports } from '../../src/exports/storage/expired-exports.js';
import { ExpiredExportsRepository } from '../../src/exports/storage/expired-exports.repository.js';
import { startOf } from '../../src/exports/turns/days.js';
import { type ExportChain, startExportChain } from '../support/exports/export-chain.js';
import { createEvmChains, NO_LIMITS } from '../support/exports/export-run.js';
import { createExporter, createSpace } from '../support/exports/make-exporter.js';
import { createMigratedDatabase } from '../support/harness/database.js';
import { createTestFolder } from '../support/harness/services.js';
import { OperationEntity } from '../../src/resources/operations/operation.entities.js';
import { PATIENCE_MS } from '../support/harness/eventually.js';

/** Over long ago, and proved whole by the blocks of the day after it. */
const DAY = '2026-01-05';

describe(TransactionExportActivities.name, () => {
  let dataSource: DataSource;
  let chain: ExportChain;

  beforeAll(async () => {
    dataSource = await createMigratedDatabase();
    const startSeconds = startOf(DAY);
    chain = await startExportChain({ chainId: 9001n, seed: 3, startSeconds, days: 2, blocks: 200 });
  });

  const makeActivities = (space = createSpace(dataSource)): TransactionExportActivities => {
    const storage = new FolderStorage(createTestFolder('exports'));
    const database = new Database(dataSource);
    return new TransactionExportActivities(
      new OperationRepository(dataSource.getRepository(OperationEntity)),
      createExporter(dataSource, createEvmChains([chain.chain]), storage, undefined, space),
      new ExpiredExports(new ExpiredExportsRepository(database), storage),
      new ExportMetrics(new Metrics()),
    );
  };

  const inputOf = (chainId: string) => ({
    operationId: randomUUID(),
    request: {
      type: 'TRANSACTION_EXPORT_EVM' as const,
      addresses: chain.people.slice(0, 2),
      signers: [],
      chainIds: [chainId],
      firstDate: DAY,
      lastDate: DAY,
      timeZone: 'UTC',
      format: 'standard' as const,
    },
    limits: NO_LIMITS,
    durationMs: PATIENCE_MS,
  });

  it('reports its position with its heartbeats', async () => {
    const environment = new MockActivityEnvironment();
    const heartbeats: unknown[] = [];
    environment.on('heartbeat', (details) => heartbeats.push(details));
    const activities = makeActivities();
    const progress = await environment.run((input) => activities.exportTransactions(input), inputOf('9001'));
    expect(progress).toMatchObject({ state: 'done' });
    expect(heartbeats).toContainEqual(expect.objectContaining({ day: DAY, chainId: '9001' }));
  });

  it('reports that there is no room, and is to be tried again', async () => {
    const activities = makeActivities(createSpace(dataSource, { EXPORT_STORAGE_MAX_BYTES: '0' }));
    const environment = new MockActivityEnvironment();
    const turn = environment.run((input) => activities.exportTransactions(input), inputOf('9001'));
    await expect(turn).rejects.toMatchObject({ type: 'STORAGE_FULL', nonRetryable: false });
  });

  it('leaves a chain that it does not know to another worker', async () => {
    const activities = makeActivities();
    const run = new MockActivityEnvironment().run(
      (input) => activities.exportTransactions(input),
      inputOf('1'),
    );
    await expect(run).rejects.toMatchObject({ type: 'CHAIN_NOT_CONFIGURED', nonRetryable: false });
  });

  it('ends when it is cancelled, without a part', async () => {
    const environment = new MockActivityEnvironment();
    environment.cancel('CANCELLED');
    const activities = makeActivities();
    const input = inputOf('9001');
    const run = environment.run((given) => activities.exportTransactions(given), input);
    await expect(run).rejects.toBeInstanceOf(CancelledFailure);
    const parts = await dataSource.query<unknown[]>('SELECT 1 FROM export_parts WHERE operation_id = $1', [
      input.operationId,
    ]);
    expect(parts).toEqual([]);
  });
});
