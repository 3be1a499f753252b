import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import type { DataSource } from 'typeorm';
import type { AvmGenesis } from '../../src/avalanche/avm/genesis/genesis.js';
import { INDEX_SIGNALS, makeIndexWorkflowId } from '../../workflows/contracts/index-chain.js';
import { eventually } from '../support/harness/eventually.js';
import type { FakePChainNode } from '../support/p-chain/fake-p-chain-node.js';
import { FakeXChainNode } from '../support/x-chain/fake-x-chain-node.js';
import {
  advanceToTip,
  createIndexer,
  createMigratedDatabase,
  digestTables,
  openDatabase,
  startFakeNode,
} from '../support/p-chain/p-chain-index.js';
import { type GeneratedBlock, localGenesis, PChainGenerator } from '../support/p-chain/p-chain-generator.js';
import { TestService } from '../support/harness/service.js';
import { startPostgresForTest, startTemporalForTest } from '../support/harness/services.js';
import { type GeneratedXBlock, xGenesis, XChainGenerator } from '../support/x-chain/x-chain-generator.js';
import { createXIndexer } from '../support/x-chain/x-chain-index.js';

const BLOCKS = 1_600;
/** Slow enough that something can die in between. */
const DELAY_MS = 15;
/** Far more than anything takes, for busy machines. */
const PATIENCE_MS = 120_000;

jest.setTimeout(3 * PATIENCE_MS);

const env = {
  WORKER_QUEUES: 'indexing',
  INDEX_CONCURRENCY: '8',
  INDEX_BATCH_BLOCKS: '40',
  INDEX_ADVANCE_MS: '3000',
  INDEX_HEARTBEAT_TIMEOUT_MS: '2000',
  INDEX_POLL_MS: '100',
  INDEX_REQUEST_TIMEOUT_MS: '1000',
  LOG_LEVEL: 'warn',
};

const CHAINS = ['p-chain', 'x-chain'] as const;

interface IndexPart {
  state: string;
  height?: string;
  tip?: string;
  message?: string;
}

/** Both chains of one node, each by an index of its own. */
describe('crashes while a P-chain and an X-chain are indexed', () => {
  let blocks: GeneratedBlock[];
  let genesis: AvmGenesis;
  let xBlocks: GeneratedXBlock[];
  let expected: Record<string, string>;
  const nodes: FakePChainNode[] = [];

  beforeAll(async () => {
    blocks = new PChainGenerator(await localGenesis()).take(BLOCKS);
    genesis = await xGenesis();
    xBlocks = new XChainGenerator(genesis).take(BLOCKS);
    const database = await createMigratedDatabase();
    const node = await startBothChains();
    const [p, x] = [createIndexer(database, [node.url]), createXIndexer(database, [node.url])];
    for (const { indexer } of [p, x]) await advanceToTip(indexer, PATIENCE_MS, 1_000);
    expected = await digestTables(database);
  });

  // The services of a test go on until the file ends; without a node they have nothing to do.
  afterEach(async () => {
    await Promise.all(nodes.splice(0).map((node) => node.stop()));
  });

  const startBothChains = async (): Promise<FakePChainNode> => {
    const node = await startFakeNode(blocks);
    node.xChain = new FakeXChainNode(genesis, xBlocks);
    return node;
  };

  const startNode = async (): Promise<FakePChainNode> => {
    const node = await startBothChains();
    node.delayMs = DELAY_MS;
    nodes.push(node);
    return node;
  };

  /** Of the chain that is less far. */
  const heightOf = async (database: DataSource): Promise<number> => {
    try {
      const rows = await database.query<{ height: string }[]>('SELECT height FROM index_checkpoints');
      return rows.length < CHAINS.length ? -1 : Math.min(...rows.map(({ height }) => Number(height)));
    } catch {
      return -1; // Postgres is away
    }
  };

  const above = (database: DataSource, height: number) =>
    eventually(`height ${height}`, async () => (await heightOf(database)) >= height, PATIENCE_MS);

  const finish = async (database: DataSource, node: FakePChainNode): Promise<void> => {
    node.delayMs = 0;
    await above(database, BLOCKS - 1);
    expect(await digestTables(database)).toEqual(expected);
  };

  const indexHealth = async (service: TestService): Promise<(IndexPart | undefined)[]> => {
    const { body } = await service.request('/v1/health-check');
    const { details } = body as { details: { fuji: { index?: Record<string, IndexPart> } } };
    return CHAINS.map((chain) => details.fuji.index?.[chain]);
  };

  /** Until the health answer says so of both chains. */
  const told = (
    what: string,
    service: TestService,
    isTold: (part: IndexPart) => boolean,
    timeoutMs = PATIENCE_MS,
  ): Promise<void> =>
    eventually(
      `health tells ${what}`,
      async () => (await indexHealth(service)).every((part) => part !== undefined && isTold(part)),
      timeoutMs,
    );

  const signal = async (service: TestService, name: keyof typeof INDEX_SIGNALS): Promise<void> => {
    const connection = await Connection.connect({ address: service.temporalAddress });
    const { workflow } = new Client({ connection });
    for (const chain of CHAINS) {
      await workflow.getHandle(makeIndexWorkflowId({ network: 'fuji', chain })).signal(INDEX_SIGNALS[name]);
    }
    await connection.close();
  };

  it('kill -9 of the worker, again and again in the middle of batches: nothing lost, nothing twice', async () => {
    const node = await startNode();
    const service = await TestService.start({ nodeUrl: node.url, env });
    const database = await openDatabase(service.databaseUrl);
    for (const height of [100, 400, 700, 1_000]) {
      await above(database, height);
      await service.workers.at(-1)?.kill('SIGKILL');
      await service.startWorker();
    }
    await finish(database, node);
    await told(
      'the tip',
      service,
      ({ state, height, tip }) => state === 'running' && height === String(BLOCKS - 1) && tip === height,
    );
  });

  it('a second worker: one of them indexes, and the other one takes over', async () => {
    const node = await startNode();
    const service = await TestService.start({ nodeUrl: node.url, env, workers: 2 });
    const database = await openDatabase(service.databaseUrl);
    await above(database, 300);
    await service.workers[0]?.kill('SIGKILL');
    await above(database, 600);
    await service.startWorker();
    await service.workers[1]?.kill('SIGKILL');
    await finish(database, node);
  });

  it('kill -9 and restart of Postgres: goes on from what it has on record', async () => {
    const postgres = await startPostgresForTest();
    const node = await startNode();
    await TestService.start({ nodeUrl: node.url, env, databaseUrl: postgres.url });
    const database = await openDatabase(postgres.url);
    for (const height of [200, 700]) {
      await above(database, height);
      await postgres.kill();
      await postgres.start();
    }
    await finish(database, node);
  });

  it('kill -9 and restart of Temporal: goes on', async () => {
    const temporal = await startTemporalForTest();
    const node = await startNode();
    const { databaseUrl } = await TestService.start({
      nodeUrl: node.url,
      env,
      temporalAddress: temporal.address,
    });
    const database = await openDatabase(databaseUrl);
    await above(database, 300);
    await temporal.kill();
    await temporal.start();
    await finish(database, node);
  });

  it('pause, resume and reindex by signals', async () => {
    const node = await startNode();
    const service = await TestService.start({ nodeUrl: node.url, env });
    const database = await openDatabase(service.databaseUrl);
    await above(database, 200);
    await signal(service, 'pause');
    await told('of the pause', service, ({ state }) => state === 'paused');
    const height = await heightOf(database);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(await heightOf(database)).toBe(height);
    await signal(service, 'resume');
    await above(database, height + 100);
    await signal(service, 'reindex');
    await eventually('it started over', async () => (await heightOf(database)) < height);
    await finish(database, node);
  });

  it('a node that is too busy, silent or gone: waits and says why, then goes on', async () => {
    const node = await startNode();
    const service = await TestService.start({ nodeUrl: node.url, env });
    const database = await openDatabase(service.databaseUrl);
    for (const [mood, reason] of [
      ['tooManyRequests', /HTTP 429/],
      ['silent', /no complete answer/],
      ['empty', /node is behind the index: height 0 < \d+/],
    ] as const) {
      const height = await heightOf(database);
      await above(database, height + 100);
      node.mood = mood;
      if (mood === 'empty' && node.xChain !== undefined) node.xChain.mood = mood;
      // One that has enough is waited for, and only then complained about.
      const isTold = ({ state, message = '' }: IndexPart): boolean =>
        state === 'waiting' && reason.test(message);
      await told(mood, service, isTold);
      node.mood = 'honest';
      if (node.xChain !== undefined) node.xChain.mood = 'honest';
    }
    await finish(database, node);
  }); // two of the three are borne for half a minute before anybody complains, and avoided as long after it

  it('a block that cannot be read: stops with an alarm, and goes on when the node is mended', async () => {
    const node = await startNode();
    const replaced = [node.replaced, node.xChain?.replaced];
    for (const blocksOf of replaced) blocksOf?.set(700, new Uint8Array(64).fill(3));
    const service = await TestService.start({ nodeUrl: node.url, env });
    const database = await openDatabase(service.databaseUrl);
    node.delayMs = 0;
    await told('of the stop', service, ({ state }) => state === 'stopped');
    for (const part of await indexHealth(service)) {
      expect(part?.message).toMatch(/^MALFORMED: 127\.0\.0\.1:\d+: /);
    }
    expect(await database.query('SELECT height FROM index_checkpoints')).toEqual(
      CHAINS.map(() => ({ height: '699' })),
    );
    for (const chain of CHAINS) {
      expect(service.workers[0]?.output).toMatch(
        new RegExp(`"level":"error".*the index ${chain} of fuji has stopped`),
      );
    }
    for (const blocksOf of replaced) blocksOf?.clear();
    await signal(service, 'resume');
    await finish(database, node);
  });
});
