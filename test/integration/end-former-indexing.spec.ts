import { beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import type { DataSource } from 'typeorm';
import { Database } from '../../src/platform/database/database.js';
import { parseEnv } from '../../src/platform/config/env.schema.js';
import type { IndexPlace } from '../../src/indexes/engine/following/index-place.js';
import { IndexProgressRepository } from '../../src/indexes/engine/progress/index-progress.repository.js';
import { configuredIndexes } from '../../src/indexes/schedule/configured-indexes.js';
import { endFormerIndexing } from '../../src/indexes/schedule/end-former-indexing.js';
import { ensureSchedules } from '../../src/indexes/schedule/ensure-schedules.js';
import { ServedQueues } from '../../src/platform/temporal/served-queues.module.js';
import { startIndexing } from '../../src/indexes/schedule/start-indexing.js';
import { TASK_QUEUES } from '../../workflows/contracts/task-queues.js';
import { eventually } from '../support/harness/eventually.js';
import { TEST_CHAIN } from '../support/evm/evm-index.js';
import { createMigratedDatabase } from '../support/harness/database.js';
import { onCleanup } from '../support/harness/cleanup.js';
import { startTemporalForTest } from '../support/harness/services.js';

const FUJI_C = TEST_CHAIN;
const FUJI_L1 = { ...TEST_CHAIN, chainId: 77n, name: 'An L1' };
const MAINNET_C = { ...TEST_CHAIN, network: 'mainnet', name: 'The twin' } as const;
type Configuration = Parameters<typeof configuredIndexes>[0];
const EVERYTHING: Configuration = { networks: ['mainnet', 'fuji'], chains: [FUJI_C, FUJI_L1, MAINNET_C] };
const PROGRESS = {
  state: 'running',
  height: '1',
  tip: '1',
  blocksPerSecond: 0,
  secondsLeft: 0,
  message: null,
} as const;

/** Workflows that workers have started, with nobody who works on them. */
describe(endFormerIndexing.name, () => {
  let connection: NativeConnection;
  let client: Client;
  let database: DataSource;
  let progress: IndexProgressRepository;
  const env = parseEnv({ DATABASE_URL: 'postgres://h/d' });

  beforeAll(async () => {
    const { address } = await startTemporalForTest();
    connection = await NativeConnection.connect({ address });
    onCleanup(() => connection.close());
    client = new Client({ connection });
    database = await createMigratedDatabase();
    progress = new IndexProgressRepository(new Database(database));
  });

  const startAll = async (): Promise<void> => {
    const indexes = configuredIndexes(EVERYTHING);
    await startIndexing(connection, env, indexes);
    await ensureSchedules(connection, env, new ServedQueues(TASK_QUEUES), EVERYTHING);
    const audits = AUDITS.map((id) => {
      const [, network = '', chain = ''] = id.split(':');
      return { network, chain };
    });
    for (const { network, chain } of [...indexes, ...audits]) {
      await progress.save({ network, chain }, PROGRESS, 1n);
    }
    await eventually('all are listed', async () => (await running()).length === ALL.length);
  };

  const running = async (): Promise<string[]> => {
    const ids: string[] = [];
    for await (const { workflowId } of client.workflow.list({ query: "ExecutionStatus = 'Running'" })) {
      // A schedule may start something meanwhile, which nobody works on.
      if (workflowId.startsWith('index:')) ids.push(workflowId);
    }
    return ids.sort();
  };

  const shown = async (): Promise<string[]> =>
    (
      await new Database(database).query<IndexPlace>({
        text: 'SELECT network, chain FROM index_progress',
        values: [],
      })
    )
      .map(({ network, chain }) => `index:${network}:${chain}`)
      .sort();

  const schedules = async (): Promise<string[]> => {
    const ids: string[] = [];
    for await (const { scheduleId } of client.schedule.list()) ids.push(scheduleId);
    return ids.filter((id) => id.includes(':')).sort();
  };

  const ofChain = (name: string): string[] => [
    name,
    ...['base', 'logs:messages', 'logs:tokens', 'projections', 'traces'].map((part) => `${name}:${part}`),
  ];
  const ofCChain = (name: string): string[] => [...ofChain(name), `${name}:atomic`].sort();
  const ALL = [
    ...ofCChain('index:fuji:evm-43112'),
    ...ofChain('index:fuji:evm-77'),
    'index:fuji:p-chain',
    'index:fuji:x-chain',
    ...ofCChain('index:mainnet:evm-43112'),
    'index:mainnet:p-chain',
    'index:mainnet:x-chain',
  ];
  const OF_PRIMARY = [
    'audit-native-supply',
    'audit-p-chain',
    'audit-x-chain',
    'poll-validators',
    'refresh-native-supply',
  ];
  const ALL_SCHEDULES = ['audit-evm', ...OF_PRIMARY]
    .flatMap((kind) => [`${kind}:fuji`, `${kind}:mainnet`])
    .sort();
  /** What is shown of an audit, by its schedule. */
  const auditOf = (schedule: string): string[] =>
    schedule.startsWith('audit-') ? [schedule.replace(/^audit-(.*):(.*)$/, 'index:$2:$1-audit')] : [];
  const AUDITS = ALL_SCHEDULES.flatMap(auditOf);

  it.each<[string, Configuration, { gone: string[]; withoutSchedules: string[] }]>([
    ['what is all configured', EVERYTHING, { gone: [], withoutSchedules: [] }],
    [
      'a chain that was taken out of the file, and not the other network’s of the same id',
      { networks: ['mainnet', 'fuji'], chains: [FUJI_L1, MAINNET_C] },
      { gone: ofCChain('index:fuji:evm-43112'), withoutSchedules: [] },
    ],
    [
      'nothing of a network that this configuration does not name: another worker may have it',
      { networks: ['fuji'], chains: [FUJI_C] },
      { gone: ofChain('index:fuji:evm-77'), withoutSchedules: [] },
    ],
    [
      'the P- and X-chain of a network that only EVM chains are left of, with its schedules',
      { networks: ['fuji'], chains: [FUJI_C, FUJI_L1, MAINNET_C] },
      {
        gone: ['index:mainnet:p-chain', 'index:mainnet:x-chain'],
        withoutSchedules: OF_PRIMARY.map((kind) => `${kind}:mainnet`),
      },
    ],
    [
      'the EVM chain of a network that has no other, with its audit',
      { networks: ['mainnet', 'fuji'], chains: [FUJI_C, FUJI_L1] },
      { gone: ofCChain('index:mainnet:evm-43112'), withoutSchedules: ['audit-evm:mainnet'] },
    ],
    ['nothing when nothing is configured', { networks: [], chains: [] }, { gone: [], withoutSchedules: [] }],
  ])('ends %s', async (_, configured, { gone, withoutSchedules }) => {
    await startAll();
    await endFormerIndexing(connection, env, progress, configuredIndexes(configured));
    const left = ALL.filter((id) => !gone.includes(id));
    await eventually('those are ended', async () => (await running()).join() === left.join());
    const expected = ALL_SCHEDULES.filter((id) => !withoutSchedules.includes(id));
    expect(await shown()).toEqual([...left, ...expected.flatMap(auditOf)].sort());
    await eventually('their schedules are gone', async () => (await schedules()).join() === expected.join());
    for (const workflowId of gone) {
      const { status } = await client.workflow.getHandle(workflowId).describe();
      expect(status.name).toBe('TERMINATED');
    }
  });
});
