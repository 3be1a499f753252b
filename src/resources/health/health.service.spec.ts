import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Test } from '@nestjs/testing';
import { Config } from '../../platform/config/config.module.js';
import { parseEnv } from '../../platform/config/env.schema.js';
import { Database, type Statement } from '../../platform/database/database.js';
import { ListDatabase } from '../../platform/database/list-database.js';
import { EvmChains } from '../../platform/evm-chains/evm-chains.js';
import { IndexOverviews } from '../../indexes/overview/index-overviews.js';
import { Networks } from '../../platform/networks/networks.module.js';
import { TaskQueueWatch } from '../../platform/temporal/task-queue-watch.js';
import { TemporalClient } from '../../platform/temporal/temporal.module.js';
import type { HealthResponse } from './health.response.js';
import { PeerConnections } from '../signature-aggregator/peers/peer-connections.js';
import { HealthService } from './health.service.js';
import { Lifecycle } from './lifecycle.js';

const MINUTE_MS = 60_000;

/** As `IndexOverviews` reads it. */
const RUNNING = {
  network: 'fuji',
  chain: 'p-chain',
  block_height: '7',
  block_time: '1800000000',
  state: 'running',
  height: '7',
  tip_height: '7',
  blocks_per_second: 0,
  eta_seconds: '0',
  source: null,
  message: null,
  updated_at: new Date(),
};

type Row = typeof RUNNING;

/** As long ago as that. */
const ago = (ms: number): Date => new Date(Date.now() - ms);

describe(HealthService.name, () => {
  let records: Row[];
  let workers: Record<string, number>;
  let isDatabaseUp: boolean;
  let lifecycle: Lifecycle;
  let asked: string[];
  let troubles: ReturnType<PeerConnections['troubles']>;

  beforeEach(() => {
    troubles = [];
    asked = [];
    records = [{ ...RUNNING, updated_at: new Date() }];
    workers = { signatures: 1, indexing: 2, exports: 0, nfts: 0 };
    isDatabaseUp = true;
    lifecycle = new Lifecycle();
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  const check = async (): Promise<HealthResponse> => (await makeService()).check();

  async function makeService(): Promise<HealthService> {
    const fuji = {
      name: 'fuji',
      isSandbox: false,
      hasNode: true,
      getNetworkId: async () => 5,
      platform: {
        getHeight: async () => {
          asked.push('node');
          return 7n;
        },
      },
    };
    const isAvailable = async (): Promise<boolean> => {
      asked.push('temporal');
      return true;
    };
    const whenUp = async (rows: Row[]): Promise<Row[]> => {
      asked.push('database');
      if (!isDatabaseUp) throw new Error('no connection');
      return rows;
    };
    const module = await Test.createTestingModule({
      providers: [
        HealthService,
        { provide: Config, useValue: new Config(parseEnv({ DATABASE_URL: 'postgres://unused' })) },
        { provide: ListDatabase, inject: [Database], useFactory: (of: Database) => new ListDatabase(of) },
        {
          provide: Database,
          useValue: { query: ({ text }: Statement) => whenUp(text === 'SELECT 1' ? [] : records) },
        },
        { provide: TemporalClient, useValue: { isAvailable } },
        { provide: Networks, useValue: { all: () => [fuji] } },
        { provide: EvmChains, useValue: { all: () => [] } },
        IndexOverviews,
        {
          provide: TaskQueueWatch,
          useValue: {
            read: async () =>
              Object.entries(workers).map(([queue, count]) => ({ queue, workers: count, backlog: 0 })),
          },
        },
        { provide: Lifecycle, useValue: lifecycle },
        { provide: PeerConnections, useValue: { troubles: () => troubles } },
      ],
    }).compile();
    return module.get(HealthService);
  }

  it('is ok while all that is configured works, and lists who works on what', async () => {
    expect(await check()).toMatchObject({
      status: 'ok',
      error: {},
      info: { workers: { status: 'up', queues: { signatures: 1, indexing: 2 } } },
    });
  });

  it.each<[string, Partial<Row>, string]>([
    ['an index that has stopped', { state: 'stopped' }, 'p-chain has stopped'],
    ['an index that is silent', { updated_at: ago(10 * MINUTE_MS) }, 'p-chain is silent since'],
    ['an audit with differences', { chain: 'p-chain-audit', state: 'stopped' }, 'p-chain-audit has found'],
    [
      'an audit that ended long ago',
      { chain: 'p-chain-audit', updated_at: ago(200 * MINUTE_MS) },
      'is silent',
    ],
  ])('is degraded by %s, which is under error with its network', async (_, record, message) => {
    records = [{ ...RUNNING, updated_at: new Date(), ...record }];
    expect(await check()).toMatchObject({
      status: 'degraded',
      error: { fuji: { status: 'degraded', message: expect.stringContaining(message) } },
    });
  });

  it.each<[string, Partial<Row>]>([
    [
      'an index that somebody has paused, however long ago',
      { state: 'paused', updated_at: ago(10_000 * MINUTE_MS) },
    ],
    ['an index that waits for its node', { state: 'waiting' }],
    ['an audit of an hour ago', { chain: 'p-chain-audit', updated_at: ago(70 * MINUTE_MS) }],
  ])('is not degraded by %s', async (_, record) => {
    records = [{ ...RUNNING, updated_at: new Date(), ...record }];
    expect((await check()).status).toBe('ok');
  });

  it('is degraded when nobody works on a queue that the configuration needs, and names it', async () => {
    workers = { signatures: 1, indexing: 0, exports: 0, nfts: 0 };
    expect(await check()).toMatchObject({
      status: 'degraded',
      error: { workers: { status: 'degraded', message: 'no worker serves indexing' } },
    });
  });

  it('is degraded once this process signs without the peers that it waited for', async () => {
    troubles = [{ network: 'fuji', standing: 'isolated', text: 'connected to 3 %' }];
    expect((await check()).status).toBe('ok');
    troubles = [{ network: 'fuji', standing: 'degraded', text: 'connected to 3 %' }];
    expect(await check()).toMatchObject({
      status: 'degraded',
      error: { fuji: { status: 'degraded', message: 'connected to 3 %' } },
    });
  });

  it('is an error without the database', async () => {
    isDatabaseUp = false;
    expect(await check()).toMatchObject({ status: 'error', error: { database: { status: 'down' } } });
  });

  it('reports that the process is about to end', async () => {
    lifecycle.stage = 'ending';
    expect((await check()).status).toBe('shutting_down');
  });

  it('asks once for all who ask it within a second', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] });
    const service = await makeService();
    const once = ['database', 'database', 'node', 'temporal'];
    const answers = await Promise.all([service.check(), service.check(), service.check()]);
    expect(answers.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok']);
    jest.advanceTimersByTime(999);
    await service.check();
    expect(asked.sort()).toEqual(once);

    jest.advanceTimersByTime(1);
    await Promise.all([service.check(), service.check()]);
    expect(asked.sort()).toEqual([...once, ...once].sort());
  });

  it('reports at once that the process is about to end', async () => {
    const service = await makeService();
    await service.check();
    lifecycle.stage = 'ending';
    expect((await service.check()).status).toBe('shutting_down');
  });
});
