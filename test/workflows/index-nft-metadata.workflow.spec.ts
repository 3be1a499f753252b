import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { NftActivities } from '../../workflows/contracts/activities.js';
import type { IndexNftMetadataInput } from '../../workflows/contracts/index-nft-metadata.js';
import type { indexNftMetadataWorkflow } from '../../workflows/index-nft-metadata.workflow.js';
import { keepHistory } from '../support/harness/histories.js';
import { failureOf } from '../support/harness/workflow-failure.js';
import { WorkflowRunner } from '../support/harness/workflow-runner.js';

const INPUT: IndexNftMetadataInput = {
  network: 'fuji',
  chainId: '43113',
  address: `0x${'11'.repeat(20)}`,
  tokenId: '7',
  // A busy machine must not be taken for a worker that is dead: its attempt would count.
  timeouts: { heartbeatMs: 60_000, retryMs: 20 },
};

/** Fails as often as configured. */
class FakeIndexing implements NftActivities {
  failures = 0;
  recordFailures = 0;
  indexStatus: string | null = 'indexed';
  readonly indexed: IndexNftMetadataInput[] = [];
  readonly recorded: IndexNftMetadataInput[] = [];

  async indexNft(input: IndexNftMetadataInput): Promise<{ indexStatus: string | null }> {
    this.indexed.push(input);
    if (this.indexed.length <= this.failures) throw away();
    return Promise.resolve({ indexStatus: this.indexStatus });
  }

  async recordNftFailure(input: IndexNftMetadataInput): Promise<void> {
    this.recorded.push(input);
    if (this.recorded.length <= this.recordFailures) throw away();
    return Promise.resolve();
  }

  asActivities(): NftActivities {
    return {
      indexNft: (input) => this.indexNft(input),
      recordNftFailure: (input) => this.recordNftFailure(input),
    };
  }
}

function away(): ApplicationFailure {
  return ApplicationFailure.create({ type: 'NODE_UNREACHABLE', message: 'no node answers' });
}

describe('indexNftMetadataWorkflow', () => {
  let runner: WorkflowRunner;

  beforeAll(async () => {
    runner = await WorkflowRunner.start();
  });

  afterAll(() => runner.stop());

  const run = (
    activities: FakeIndexing,
    check: (handle: WorkflowHandle<typeof indexNftMetadataWorkflow>) => Promise<void>,
  ): Promise<void> =>
    runner.run<typeof indexNftMetadataWorkflow>(
      activities.asActivities(),
      (client, place) =>
        client.workflow.start<typeof indexNftMetadataWorkflow>('indexNftMetadataWorkflow', {
          ...place,
          args: [INPUT],
        }),
      check,
    );

  it.each([['indexed'], ['unreachable_token_uri'], [null]])(
    'ends with %s as a result',
    async (indexStatus) => {
      const activities = new FakeIndexing();
      activities.indexStatus = indexStatus;
      await run(activities, async (handle) => {
        expect(await handle.result()).toEqual({ indexStatus });
        expect(activities.indexed).toEqual([INPUT]);
        expect(activities.recorded).toEqual([]);
        if (indexStatus === 'indexed') await keepHistory('indexed', handle);
      });
    },
  );

  it('tries again what fails for a moment', async () => {
    const activities = new FakeIndexing();
    activities.failures = 3;
    await run(activities, async (handle) => {
      expect(await handle.result()).toEqual({ indexStatus: 'indexed' });
      expect(activities.indexed).toHaveLength(4);
      expect(activities.recorded).toEqual([]);
      await keepHistory('node-away-for-a-moment', handle);
    });
  });

  it('gives up, records it, and fails with the reason', async () => {
    const activities = new FakeIndexing();
    activities.failures = Infinity;
    activities.recordFailures = 1;
    await run(activities, async (handle) => {
      expect(await failureOf(handle)).toMatchObject({ type: 'NODE_UNREACHABLE' });
      expect(activities.indexed).toHaveLength(4);
      expect(activities.recorded).toEqual([INPUT, INPUT]);
      await keepHistory('given-up', handle);
    });
  });

  it('fails with the first reason also when that cannot be put on record', async () => {
    const activities = new FakeIndexing();
    activities.failures = Infinity;
    activities.recordFailures = Infinity;
    await run(activities, async (handle) => {
      expect(await failureOf(handle)).toMatchObject({ type: 'NODE_UNREACHABLE' });
      expect(activities.recorded).toHaveLength(5);
      await keepHistory('given-up-without-record', handle);
    });
  });
});
