import { beforeAll, describe, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import { makeExportTransactionsWorkflowId } from '../../workflows/contracts/export-transactions.js';
import { writeEvmChainsFile } from '../support/evm/evm-chains-file.js';
import { eventually } from '../support/harness/eventually.js';
import {
  GENERATED_CHAIN,
  GENERATED_FIRST_DAY,
  generatedAddresses,
  generateEvm,
  whaleRows,
} from '../support/evm/generated-evm.js';
import { download, endOfOperation, getOperation, startExport } from '../support/exports/operations.js';
import { openDatabase } from '../support/harness/database.js';
import { TestService } from '../support/harness/service.js';
import { SlowLink } from '../support/harness/slow-link.js';
import {
  DELETES_AT_ONCE,
  createTestDatabase,
  createTestFolder,
  startPostgresForTest,
  startTemporalForTest,
} from '../support/harness/services.js';

const TRANSACTIONS_PER_DAY = 3_000;
const DAYS = 20;
const LAST_DAY = '2026-01-20';
const ROWS = whaleRows(TRANSACTIONS_PER_DAY * DAYS);
/** One day more than is exported: a day is known to be over once a later block is. */
const GENERATED = { transactions: TRANSACTIONS_PER_DAY * (DAYS + 1), days: DAYS + 1 };

/** A day takes about half a second. */
const SLOW_BYTES_PER_SECOND = 1_000_000;

/** A node that nobody runs: everything that is asked for is indexed. */
const NO_NODE = 'http://127.0.0.1:9';

describe('an export of transactions', () => {
  let link: SlowLink;
  let database: DataSource;
  let address: string;
  let expected: string;

  const env = (storage: string): Record<string, string> => ({
    WORKER_QUEUES: 'exports',
    EVM_CHAINS_FILE: writeEvmChainsFile([{ ...GENERATED_CHAIN, rpcUrls: [NO_NODE] }]),
    EXPORT_STORAGE_URL: storage,
    WORKER_SILENCE_MS: '1000', // turns of two seconds
    LOG_LEVEL: 'warn',
  });

  const start = (storage: string, options: Partial<Parameters<typeof TestService.start>[0]> = {}) =>
    TestService.start({ nodeUrl: NO_NODE, databaseUrl: link.url, env: env(storage), ...options });

  const begin = (service: TestService) =>
    startExport(service, {
      addresses: [address],
      chainIds: [GENERATED_CHAIN.chainId],
      firstDate: GENERATED_FIRST_DAY,
      lastDate: LAST_DAY,
    });

  const partsOf = async (source: DataSource, operationId: string): Promise<number> => {
    try {
      const [row] = await source.query<{ count: string }[]>(
        'SELECT count(*) FROM export_parts WHERE operation_id = $1',
        [operationId],
      );
      return Number(row?.count ?? 0);
    } catch {
      return 0; // Postgres is away
    }
  };

  /** It takes many turns, so that there is much in between to die in. */
  const beginSlowly = (service: TestService, slow = link) => {
    slow.bytesPerSecond = SLOW_BYTES_PER_SECOND;
    return begin(service);
  };

  const after = (source: DataSource, operationId: string, parts: number) =>
    eventually(`${parts} parts`, async () => (await partsOf(source, operationId)) >= parts);

  const expectWhole = async (service: TestService, operationId: string, slow = link): Promise<void> => {
    slow.bytesPerSecond = Infinity;
    const operation = await endOfOperation(service, operationId);
    expect(operation).toMatchObject({
      operationStatus: 'COMPLETED',
      message: `${ROWS} rows`,
    });
    // Not toBe: a difference of megabytes would be printed.
    expect((await download(operation)) === expected).toBe(true);
  };

  beforeAll(async () => {
    const { url } = await createTestDatabase();
    link = await SlowLink.to(url);
    database = await openDatabase(url);
    await generateEvm(database, GENERATED);
    ({ whale: address } = await generatedAddresses(database));
    const service = await start(createTestFolder('exports'));
    const { operationId } = await begin(service);
    expected = await download(await endOfOperation(service, operationId));
    const lines = expected.split('\r\n').slice(1, -1);
    expect(lines.length).toBe(ROWS);
    expect(new Set(lines).size).toBe(lines.length);
  });

  it('has every row once after kill -9 of the worker, again and again', async () => {
    const service = await start(createTestFolder('exports'));
    const { operationId } = await beginSlowly(service);
    for (const parts of [1, 2, 3]) {
      await after(database, operationId, parts);
      await service.workers.at(-1)?.kill('SIGKILL');
      expect(await getOperation(service, operationId)).toMatchObject({ operationStatus: 'RUNNING' });
      await service.startWorker();
    }
    await expectWhole(service, operationId);
  });

  it('goes on after kill -9 and restart of Temporal, and a final one is reported meanwhile', async () => {
    const temporal = await startTemporalForTest();
    const service = await start(createTestFolder('exports'), { temporalAddress: temporal.address });
    const first = await begin(service);
    await expectWhole(service, first.operationId);
    const { operationId } = await beginSlowly(service);
    await after(database, operationId, 2);
    await temporal.kill();
    expect(await getOperation(service, first.operationId)).toMatchObject({ operationStatus: 'COMPLETED' });
    await temporal.start();
    await expectWhole(service, operationId);
  });

  it('goes on after kill -9 and restart of Postgres', async () => {
    const postgres = await startPostgresForTest();
    const ownLink = await SlowLink.to(postgres.url);
    const service = await start(createTestFolder('exports'), { databaseUrl: ownLink.url });
    const own = await openDatabase(postgres.url);
    await generateEvm(own, GENERATED);
    const { operationId } = await beginSlowly(service, ownLink);
    await after(own, operationId, 2);
    await postgres.kill();
    await postgres.start();
    await expectWhole(service, operationId, ownLink);
  });

  it('waits while the storage is away, and ends with every row', async () => {
    const [folder, kept] = [createTestFolder('exports'), createTestFolder('exports')];
    const storage = join(folder, 'storage');
    // Each put in the place of the other at once: in between a worker would make a folder of its own.
    const replaceBy = (make: (path: string) => void): void => {
      make(`${storage}-new`);
      renameSync(`${storage}-new`, storage);
    };
    replaceBy((path) => symlinkSync(kept, path));
    const service = await start(storage);
    const { operationId } = await beginSlowly(service);
    await after(database, operationId, 2);
    replaceBy((path) => writeFileSync(path, 'a file, where a folder belongs'));
    await eventually('the worker has met it', () => {
      return service.workers[0]?.output.includes('STORAGE_UNAVAILABLE') ?? false;
    });
    expect(await getOperation(service, operationId)).toMatchObject({ operationStatus: 'RUNNING' });
    replaceBy((path) => symlinkSync(kept, path));
    await expectWhole(service, operationId);
  });

  it('reports its status without a worker, and after Temporal has forgotten it', async () => {
    const temporal = await startTemporalForTest({ dynamicConfig: DELETES_AT_ONCE });
    const service = await start(createTestFolder('exports'), {
      workers: 0,
      temporalAddress: temporal.address,
    });
    const { operationId } = await begin(service);
    expect(await getOperation(service, operationId)).toMatchObject({
      operationStatus: 'RUNNING',
      metadata: {},
    });
    await service.startWorker();
    await expectWhole(service, operationId);
    await service.workers[0]?.stop();
    await expectWhole(service, operationId);

    const connection = await Connection.connect({ address: service.temporalAddress });
    const { workflow, workflowService } = new Client({ connection });
    const workflowId = makeExportTransactionsWorkflowId(operationId);
    await workflowService.deleteWorkflowExecution({
      namespace: 'default',
      workflowExecution: { workflowId },
    });
    await eventually('Temporal has forgotten it', async () => {
      return workflow
        .getHandle(workflowId)
        .describe()
        .then(
          () => false,
          () => true,
        );
    });
    await connection.close();
    await expectWhole(service, operationId);
  });
});
