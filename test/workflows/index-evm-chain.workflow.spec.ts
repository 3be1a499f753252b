import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cancellationSignal, heartbeat } from '@temporalio/activity';
import type { WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { setTimeout as delay } from 'node:timers/promises';
import type { EvmIndexActivities } from '../../workflows/contracts/activities.js';
import type {
  AdvanceEvmChainInput,
  EvmChainInput,
  IndexEvmChainInput,
  RecordEvmIndexStateInput,
} from '../../workflows/contracts/index-evm-chain.js';
import { INDEX_SIGNALS, type IndexProgress } from '../../workflows/contracts/index-p-chain.js';
import type { indexEvmChainWorkflow } from '../../workflows/index-evm-chain.workflow.js';
import { eventually } from '../support/eventually.js';
import { keepHistory } from '../support/histories.js';
import { WorkflowRunner } from '../support/workflow-runner.js';

const input: IndexEvmChainInput = {
  network: 'fuji',
  chainId: '43113',
  name: 'Fuji C-Chain',
  timeouts: { advanceMs: 50, heartbeatMs: 2_000 },
  maxHistoryLength: 10_000,
};

/** A chain of blocks that are counted, not read. */
class FakeEvmIndex implements EvmIndexActivities {
  height = 0;
  readonly advanced: AdvanceEvmChainInput[] = [];
  readonly recorded: RecordEvmIndexStateInput[] = [];
  readonly resets: EvmChainInput[] = [];
  failure: Error | undefined;
  /** An advance that lasts until it is cancelled. */
  isLong = false;

  async advanceEvmChain(request: AdvanceEvmChainInput): Promise<IndexProgress> {
    this.advanced.push(request);
    if (this.failure !== undefined) throw this.failure;
    while (this.isLong && !cancellationSignal().aborted) {
      heartbeat();
      await delay(20);
    }
    cancellationSignal().throwIfAborted();
    await delay(20);
    this.height += 10;
    return {
      state: 'running',
      height: String(this.height),
      tip: '1000',
      blocksPerSecond: 10,
      secondsLeft: 99,
      message: 'backfilling: 5 blocks below 1,000 to go',
    };
  }

  async recordEvmIndexState(state: RecordEvmIndexStateInput): Promise<void> {
    this.recorded.push(state);
    return Promise.resolve();
  }

  async resetEvmChain(chain: EvmChainInput): Promise<void> {
    this.resets.push(chain);
    this.height = 0;
    return Promise.resolve();
  }

  asActivities(): EvmIndexActivities {
    return {
      advanceEvmChain: (request) => this.advanceEvmChain(request),
      recordEvmIndexState: (state) => this.recordEvmIndexState(state),
      resetEvmChain: (chain) => this.resetEvmChain(chain),
    };
  }
}

type Handle = WorkflowHandle<typeof indexEvmChainWorkflow>;

/** The loop itself is that of the P-chain's index, and tested there. */
describe('indexEvmChainWorkflow', () => {
  let runner: WorkflowRunner;

  beforeAll(async () => {
    runner = await WorkflowRunner.start();
  });

  afterAll(() => runner.stop());

  const run = (
    index: FakeEvmIndex,
    check: (handle: Handle) => Promise<void>,
    options: Partial<IndexEvmChainInput> = {},
  ): Promise<void> =>
    runner.run(
      index.asActivities(),
      (client, place) =>
        client.workflow.start<typeof indexEvmChainWorkflow>('indexEvmChainWorkflow', {
          ...place,
          args: [{ ...input, ...options }],
        }),
      check,
    );

  const shown = async (handle: Handle) => {
    const { memo, typedSearchAttributes } = await handle.describe();
    const [state] = typedSearchAttributes
      .getAll()
      .flatMap(({ key, value }) => (key.name === 'NdsIndexState' ? [value] : []));
    return { progress: memo?.['progress'] as IndexProgress | undefined, state };
  };

  it('advances its chain, shows where it is, pauses in the middle, and goes on', async () => {
    const index = new FakeEvmIndex();
    await run(index, async (handle) => {
      await eventually('progress is shown', async () => Number((await shown(handle)).progress?.height) >= 50);
      expect(await shown(handle)).toMatchObject({
        state: 'running',
        progress: { state: 'running', tip: '1000', message: 'backfilling: 5 blocks below 1,000 to go' },
      });
      expect(index.advanced[0]).toEqual({ network: 'fuji', chainId: '43113', durationMs: 50 });
      index.isLong = true;
      const before = index.advanced.length;
      await eventually('a long advance', () => index.advanced.length > before);
      await handle.signal(INDEX_SIGNALS.pause);
      await eventually('it is paused', async () => (await shown(handle)).state === 'paused');
      expect(index.recorded).toEqual([{ network: 'fuji', chainId: '43113', state: 'paused', message: null }]);
      index.isLong = false;
      await handle.signal(INDEX_SIGNALS.resume);
      await eventually('it runs again', async () => (await shown(handle)).state === 'running');
      await handle.signal(INDEX_SIGNALS.pause);
      await eventually('it is paused again', async () => (await shown(handle)).state === 'paused');
      await keepHistory('index-evm-chain', 'paused-and-resumed', handle);
    });
  });

  it('stops visibly at another chain, and begins anew when told', async () => {
    const index = new FakeEvmIndex();
    index.failure = ApplicationFailure.create({
      type: 'FOREIGN_CHAIN',
      message: 'node.example has another genesis',
      nonRetryable: true,
    });
    await run(index, async (handle) => {
      await eventually('it stops', async () => (await shown(handle)).state === 'stopped');
      const message = 'FOREIGN_CHAIN: node.example has another genesis';
      expect((await shown(handle)).progress).toMatchObject({ state: 'stopped', message });
      expect(index.recorded).toEqual([{ network: 'fuji', chainId: '43113', state: 'stopped', message }]);
      index.failure = undefined;
      await handle.signal(INDEX_SIGNALS.reindex);
      await eventually(
        'it runs from the start',
        async () => Number((await shown(handle)).progress?.height) > 0,
      );
      expect(index.resets).toEqual([{ network: 'fuji', chainId: '43113' }]);
      await handle.signal(INDEX_SIGNALS.pause);
      await eventually('it is paused', async () => (await shown(handle)).state === 'paused');
      await keepHistory('index-evm-chain', 'stopped-and-reindexed', handle);
    });
  });

  it('goes on by itself after what passes by itself', async () => {
    const index = new FakeEvmIndex();
    index.failure = ApplicationFailure.create({
      type: 'NO_USABLE_NODE',
      message: 'away',
      nonRetryable: false,
    });
    await run(index, async (handle) => {
      await eventually('two attempts', () => index.advanced.length >= 2);
      index.failure = undefined;
      await eventually('it runs', async () => Number((await shown(handle)).progress?.height) > 0);
      await handle.signal(INDEX_SIGNALS.pause);
      await eventually('it is paused', async () => (await shown(handle)).state === 'paused');
      await keepHistory('index-evm-chain', 'node-away-for-a-moment', handle);
    });
  });

  it('continues as new before its history grows long, with what it shows', async () => {
    const index = new FakeEvmIndex();
    await run(
      index,
      async (handle) => {
        const first = (await handle.describe()).runId;
        await eventually('another run', async () => (await handle.describe()).runId !== first);
        await handle.signal(INDEX_SIGNALS.pause);
        await eventually('it is paused', async () => (await shown(handle)).state === 'paused');
        expect(Number((await shown(handle)).progress?.height)).toBeGreaterThan(0);
        const firstRun = runner.client.workflow.getHandle(handle.workflowId, first);
        await keepHistory('index-evm-chain', 'continued-as-new', firstRun);
      },
      { maxHistoryLength: 40 },
    );
  });
});
