import { afterEach, describe, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { poll } from '../../sandbox/local/processes/poll.js';
import { freePort } from '../../sandbox/local/processes/ports.js';
import { isTemporalServing, startTemporal } from '../../sandbox/local/temporal-server.js';
import {
  createTestFolder,
  startTemporalForTest,
  temporalAddress,
  temporalBinary,
} from '../support/harness/services.js';
import { PATIENCE_MS } from '../support/harness/eventually.js';

const SECONDS_PER_DAY = 86_400;

describe(startTemporal.name, () => {
  const connections: Connection[] = [];
  afterEach(async () => {
    for (const connection of connections.splice(0)) await connection.close();
  });

  async function connect(address: string): Promise<Client> {
    const connection = await Connection.connect({ address });
    connections.push(connection);
    return new Client({ connection });
  }

  it('keeps workflows over kill -9 and comes back on its port', async () => {
    const server = await startTemporalForTest();
    const before = await connect(server.address);
    await before.workflow.start('waitForever', { workflowId: 'kept', taskQueue: 'nobody' });
    await server.kill();
    expect(await isTemporalServing(server.address)).toBe(false);
    await server.start();
    const after = await connect(server.address);
    const description = await after.workflow.getHandle('kept').describe();
    expect(description.status.name).toBe('RUNNING');
  });

  it('registers the search attributes before it is ready', async () => {
    const client = await connect(temporalAddress());
    const { customAttributes } = await client.connection.operatorService.listSearchAttributes({
      namespace: 'default',
    });
    expect(Object.keys(customAttributes)).toEqual(
      expect.arrayContaining(['NdsNetwork', 'NdsSignedPercentage']),
    );
  });

  it('keeps closed workflows for 30 days', async () => {
    const client = await connect(temporalAddress());
    const retentionDays = await poll({
      what: 'a retention of 30 days',
      timeoutMs: PATIENCE_MS,
      intervalMs: 100,
      ask: async () => {
        const { config } = await client.workflowService.describeNamespace({ namespace: 'default' });
        const days = Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0) / SECONDS_PER_DAY;
        return days > 1 ? days : undefined;
      },
    });
    expect(retentionDays).toBe(30);
  });

  it('refuses the data of an older server, and leaves them as they are', async () => {
    const dataDir = join(createTestFolder('older'), 'temporal');
    mkdirSync(dataDir);
    writeFileSync(join(dataDir, 'temporal.db'), 'older');
    await expect(startTemporal({ binary: temporalBinary(), dataDir, uiPort: null })).rejects.toThrow(
      `${dataDir} is of an older Temporal server`,
    );
    expect(readdirSync(dataDir)).toEqual(['temporal.db']);
  });

  it('steps over busy ports, and serves its Web UI', async () => {
    const port = await freePort();
    const uiPort = await freePort();
    const blockers = [createServer().listen(port, '127.0.0.1'), createServer().listen(uiPort, '127.0.0.1')];
    const dataDir = join(createTestFolder('busy'), 'temporal');
    const server = await startTemporal({ binary: temporalBinary(), dataDir, port, uiPort });
    for (const blocker of blockers) blocker.close();
    try {
      expect(server.port).toBeGreaterThan(port);
      expect(server.uiPort).toBeGreaterThan(uiPort);
      expect((await fetch(server.uiUrl ?? '')).status).toBe(200);
    } finally {
      await server.stop();
    }
  });

  it('gives up with the reason from the log when the program is not Temporal', async () => {
    const dataDir = join(createTestFolder('wrong'), 'temporal');
    await expect(startTemporal({ binary: '/bin/false', dataDir, uiPort: null })).rejects.toThrow(
      /exit code 1/,
    );
  });
});
