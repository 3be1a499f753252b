import { beforeAll, describe, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import type { DataSource } from 'typeorm';
import {
  INDEX_SIGNALS,
  type ReindexPart,
  makeIndexWorkflowId,
} from '../../workflows/contracts/index-chain.js';
import { generateEvmChain } from '../../sandbox/generated/evm-chain-generator.js';
import type { RecordedEvmBlock } from '../../sandbox/recording/evm-recording.js';
import { writeEvmChainsFile } from '../support/evm/evm-chains-file.js';
import {
  advanceToEnd,
  createEvmIndex,
  digestEvmTables,
  rangesOf,
  startEvmChain,
  TEST_CHAIN_ID,
} from '../support/evm/evm-index.js';
import { eventually } from '../support/harness/eventually.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { createMigratedDatabase, openDatabase } from '../support/harness/database.js';
import { TestService } from '../support/harness/service.js';
import { checkpointOf, NODE_FAILURES } from '../support/indexer.js';

const BLOCKS = 500;
/** Slow enough that something can die in between. */
const DELAY_MS = 100;
/** Nobody listens there: these tests are about EVM chains only. */
const NO_NODE = 'http://127.0.0.1:9';

const CHAIN = `evm-${TEST_CHAIN_ID}`;

interface IndexPart {
  state: string;
  height?: string;
  tip?: string;
  message?: string;
}

describe('the index of an EVM chain', () => {
  let blocks: RecordedEvmBlock[];
  let expected: Record<string, string>;

  beforeAll(async () => {
    blocks = generateEvmChain({ blocks: BLOCKS });
    const database = await createMigratedDatabase();
    const node = await startEvmChain(blocks);
    await advanceToEnd(createEvmIndex(database, [node.cChainUrl], { batchBlocks: 10_000 }));
    expected = await digestEvmTables(database);
  });

  const start = async (workers = 1) => {
    const node = await startEvmChain(blocks);
    node.setNodeBehaviour({ delayMs: DELAY_MS });
    const env = {
      WORKER_QUEUES: 'indexing',
      EVM_CHAINS_FILE: writeEvmChainsFile([{ chainId: TEST_CHAIN_ID, rpcUrls: [node.cChainUrl] }]),
      FUJI_NODE_URL: undefined,
      INDEX_CONCURRENCY: '1', // and so few blocks per transaction
      WORKER_SILENCE_MS: '500',
      NODE_TIMEOUT_MS: '250',
      LOG_LEVEL: 'warn',
    };
    const service = await TestService.start({ nodeUrl: NO_NODE, workers, env });
    return { node, service, database: await openDatabase(service.databaseUrl) };
  };

  /** Until it is as far as that, or at its end. */
  const above = (database: DataSource, height: number) => {
    const wanted = Math.min(height, BLOCKS - 1);
    return eventually(`height ${wanted}`, async () => (await checkpointOf(database)) >= wanted);
  };

  const finish = async (database: DataSource, node: Sandbox): Promise<void> => {
    node.setNodeBehaviour({});
    await above(database, BLOCKS - 1);
    for (const facet of ['base', 'traces']) {
      await eventually(
        `all of ${facet}`,
        async () => (await rangesOf(database, facet)).join() === `0-${BLOCKS - 1}`,
      );
    }
    expect(await digestEvmTables(database)).toEqual(expected);
  };

  const indexHealth = async (service: TestService): Promise<IndexPart | undefined> => {
    const { body } = await service.request('/v1/health-check');
    const { details } = body as { details: { fuji?: { index?: Record<string, IndexPart> } } };
    return details.fuji?.index?.[CHAIN];
  };

  const signal = async (
    service: TestService,
    name: keyof typeof INDEX_SIGNALS,
    ...args: ReindexPart[]
  ): Promise<void> => {
    const connection = await Connection.connect({ address: service.temporalAddress });
    const { workflow } = new Client({ connection });
    await workflow
      .getHandle(makeIndexWorkflowId({ network: 'fuji', chain: CHAIN }))
      .signal(INDEX_SIGNALS[name], ...args);
    await connection.close();
  };

  it('loses and doubles nothing when one worker and then the other is killed in the middle of batches', async () => {
    const { node, service, database } = await start(2);
    await above(database, 100);
    await service.workers[0]?.kill('SIGKILL');
    await above(database, 250);
    await service.startWorker();
    await service.workers[1]?.kill('SIGKILL');
    await above(database, 400);
    await finish(database, node);
    await eventually('health tells the tip', async () => {
      const part = await indexHealth(service);
      return part?.state === 'running' && part.height === String(BLOCKS - 1) && part.tip === part.height;
    });
  });

  it('waits for a node that is too busy or lies, reports why, and then goes on', async () => {
    const { node, service, database } = await start();
    for (const [trouble, reason] of [
      ['tooManyRequests', /HTTP 429/],
      ['garbage', /timestamp/],
    ] as const) {
      await above(database, (await checkpointOf(database)) + 60);
      if (trouble === 'garbage') node.setCChainBehaviour({ kind: 'garbage', form: 'quantity' });
      else node.setNodeBehaviour(NODE_FAILURES[trouble]);
      // One that has enough is waited for, and only then complained about.
      const isReported = async (): Promise<boolean> => {
        const part = await indexHealth(service);
        return part?.state === 'waiting' && reason.test(part.message ?? '');
      };
      await eventually(`health tells: ${trouble}`, isReported);
      node.setCChainBehaviour({ kind: 'honest' });
      node.setNodeBehaviour({ delayMs: DELAY_MS });
    }
    await finish(database, node);
  }); // a host that answered 429 is asked at a pace that rises slowly

  it('stops with an alarm at a chain that was started anew, and begins again on request', async () => {
    const { node, service, database } = await start();
    await above(database, 200);
    node.cChain.replaceBlocks(generateEvmChain({ blocks: 50, forkedAt: 0 }));
    await eventually(
      'health tells of the stop',
      async () => (await indexHealth(service))?.state === 'stopped',
    );
    expect((await indexHealth(service))?.message).toMatch(/^FOREIGN_CHAIN: node 1 has 0x.* as the genesis/);
    await service.workers[0]?.waitForOutput(/"level":"error".*the index evm-43112 of fuji has stopped/);
    const height = await checkpointOf(database);
    expect(height).toBeGreaterThanOrEqual(200);
    // It was the wrong node after all.
    node.cChain.replaceBlocks(blocks);
    await signal(service, 'resume');
    await above(database, height + 60);
    await signal(service, 'pause');
    await eventually(
      'health tells of the pause',
      async () => (await indexHealth(service))?.state === 'paused',
    );
    await signal(service, 'reindex', { from: '0' });
    await eventually('it started over', async () => (await checkpointOf(database)) < height);
    await finish(database, node);
  });
});
