import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { activityInfo, cancellationSignal, heartbeat } from '@temporalio/activity';
import type { WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { setTimeout as delay } from 'node:timers/promises';
import type { IndexActivities } from '../../workflows/contracts/activities.js';
import {
  type AdvanceIndexInput,
  type BuildHistoryInput,
  HISTORY_BUILDERS,
  INDEX_SIGNALS,
  type IndexChainInput,
  type IndexProgress,
  type RecordIndexStateInput,
  type ResetIndexInput,
} from '../../workflows/contracts/index-chain.js';
import type { indexChainWorkflow } from '../../workflows/index-chain.workflow.js';
import { eventually } from '../support/harness/eventually.js';
import { keepHistory } from '../support/harness/histories.js';
import { WorkflowRunner } from '../support/harness/workflow-runner.js';

const input: IndexChainInput = {
  network: 'fuji',
  chain: 'evm-43113',
  title: 'Fuji C-Chain',
  // A busy machine must not be taken for a worker that is dead: its attempt would count.
  timeouts: { advanceMs: 50, heartbeatMs: 60_000 },
  maxHistoryLength: 10_000,
};

/** A chain of blocks that are counted, not read. */
class FakeIndex implements IndexActivities {
  height = 0;
  advances = 0;
  attempts = 0;
  readonly resets: ResetIndexInput[] = [];
  readonly advanced = new Set<string>();
  readonly builders = new Set<number>();
  cancelled = 0;
  active = 0;
  readonly recorded: RecordIndexStateInput[] = [];
  failure: Error | undefined;
  resetFailure: Error | undefined;
  /** An advance that lasts until it is cancelled. */
  isLong = false;
  /** The failure of a long advance in place of its cancellation, as when its worker dies meanwhile. */
  dyingWords: Error | undefined;

  /** Whether nothing is left to do, and no block comes. */
  isQuiet = false;
  readonly durations = new Set<number>();

  async advanceIndex({ network, chain, durationMs }: AdvanceIndexInput): Promise<IndexProgress> {
    this.durations.add(durationMs);
    this.advanced.add(`${network} ${chain}`);
    this.attempts += 1;
    this.active += 1;
    try {
      if (this.failure !== undefined) throw this.failure;
      while (this.isLong && !cancellationSignal().aborted) {
        heartbeat();
        await delay(20);
      }
      if (cancellationSignal().aborted) {
        this.cancelled += 1;
        if (this.dyingWords !== undefined) throw this.dyingWords;
        cancellationSignal().throwIfAborted();
      }
      await delay(20);
      this.advances += 1;
      this.height += 10;
      return {
        state: 'running',
        height: String(this.height),
        tip: '1000',
        blocksPerSecond: this.isQuiet ? 0 : 10,
        secondsLeft: this.isQuiet ? 0 : 99,
        message: null,
      };
    } finally {
      this.active -= 1;
    }
  }

  async buildHistory({ builder }: BuildHistoryInput): Promise<void> {
    this.builders.add(builder);
  }

  async recordIndexState(state: RecordIndexStateInput): Promise<void> {
    expect(activityInfo().activityType).toBe('recordIndexState');
    expect(this.active).toBe(0);
    this.recorded.push(state);
  }

  async resetIndex(part: ResetIndexInput): Promise<void> {
    expect(this.active).toBe(0);
    this.resets.push(part);
    if (this.resetFailure !== undefined) throw this.resetFailure;
    this.height = 0;
  }

  asActivities(): IndexActivities {
    return {
      advanceIndex: (place) => this.advanceIndex(place),
      buildHistory: (input) => this.buildHistory(input),
      recordIndexState: (state) => this.recordIndexState(state),
      resetIndex: (part) => this.resetIndex(part),
    };
  }
}

type Handle = WorkflowHandle<typeof indexChainWorkflow>;

const WORKFLOW_TASK_COMPLETED = 7;
const ACTIVITY_TASK_SCHEDULED = 10;
const TIMER_STARTED = 17;

/** Activities and timers that the last workflow task has scheduled: what it goes on with by itself. */
async function scheduledLast(handle: Handle): Promise<number[]> {
  const { events } = await handle.fetchHistory();
  const types = (events ?? []).map(({ eventType }) => Number(eventType));
  return types
    .slice(types.lastIndexOf(WORKFLOW_TASK_COMPLETED) + 1)
    .filter((type) => type === ACTIVITY_TASK_SCHEDULED || type === TIMER_STARTED);
}

describe('indexChainWorkflow', () => {
  let runner: WorkflowRunner;

  beforeAll(async () => {
    runner = await WorkflowRunner.start();
  });

  afterAll(() => runner.stop());

  const run = (
    index: FakeIndex,
    check: (handle: Handle) => Promise<void>,
    options: Partial<IndexChainInput> = {},
  ): Promise<void> =>
    runner.run(
      index.asActivities(),
      (client, place) =>
        client.workflow.start<typeof indexChainWorkflow>('indexChainWorkflow', {
          ...place,
          args: [{ ...input, ...options }],
        }),
      check,
    );

  const shown = async (handle: Handle) => {
    const { memo, status, typedSearchAttributes } = await handle.describe();
    const [state] = typedSearchAttributes
      .getAll()
      .flatMap(({ key, value }) => (key.name === 'NdsIndexState' ? [value] : []));
    return { progress: memo?.['progress'] as IndexProgress | undefined, status: status.name, state };
  };

  it('advances again and again, and shows where it is', async () => {
    const index = new FakeIndex();
    await run(index, async (handle) => {
      await eventually('progress is shown', async () => Number((await shown(handle)).progress?.height) >= 50);
      const { progress, state } = await shown(handle);
      expect(progress).toMatchObject({ state: 'running', tip: '1000', blocksPerSecond: 10, secondsLeft: 99 });
      expect(state).toBe('running');
      await handle.signal(INDEX_SIGNALS.pause);
      await eventually('paused', async () => (await shown(handle)).state === 'paused');
      await keepHistory('running', handle);
    });
  });

  it.each([
    { isQuiet: false, what: 'blocks to read', durations: [50] },
    { isQuiet: true, what: 'nothing to do', durations: [50, 300] },
  ])('gives an index with $what turns of $durations ms', async ({ isQuiet, durations }) => {
    const index = new FakeIndex();
    index.isQuiet = isQuiet;
    await run(index, async () => {
      await eventually('some turns', () => index.advances > 3);
      expect([...index.durations]).toEqual(durations);
    });
  });

  it.each([
    { chain: 'evm-43113:base', builders: HISTORY_BUILDERS },
    { chain: 'evm-43113:traces', builders: 0 },
  ])('has $builders others help with the long history of $chain', async ({ chain, builders }) => {
    const index = new FakeIndex();
    await run(
      index,
      async (handle) => {
        await eventually('some turns', () => index.advances > 3);
        expect(index.builders.size).toBe(builders);
        if (builders > 0) await keepHistory('history-with-builders', handle);
      },
      { chain },
    );
  });

  it('pauses in the middle of an advance, keeps quiet, and goes on', async () => {
    const index = new FakeIndex();
    index.height = 70;
    await run(index, async (handle) => {
      await eventually('it runs', () => index.advances > 1);
      index.isLong = true;
      const before = index.attempts;
      await eventually('a long advance', () => index.attempts > before);
      await handle.signal(INDEX_SIGNALS.pause);
      await eventually('it is paused', async () => (await shown(handle)).progress?.state === 'paused');
      expect(index.cancelled).toBe(1);
      expect(index.recorded).toEqual([
        { network: 'fuji', chain: 'evm-43113', state: 'paused', message: null },
      ]);
      expect((await shown(handle)).progress).toMatchObject({ height: String(index.height) });
      // Only a signal can make it go on.
      expect(await scheduledLast(handle)).toEqual([]);
      index.isLong = false;
      await handle.signal(INDEX_SIGNALS.resume);
      await eventually('it runs again', async () => (await shown(handle)).progress?.state === 'running');
      await handle.signal(INDEX_SIGNALS.pause);
      await eventually('it is paused again', async () => (await shown(handle)).state === 'paused');
      await keepHistory('paused-and-resumed', handle);
    });
  });

  it('stops visibly at what no retry mends, stays alive, and tries again on request', async () => {
    const index = new FakeIndex();
    index.failure = ApplicationFailure.create({
      type: 'UNKNOWN_TYPE_ID',
      message: 'block 123: type id 99',
      nonRetryable: true,
    });
    await run(index, async (handle) => {
      await eventually('it stops', async () => (await shown(handle)).state === 'stopped');
      const message = 'UNKNOWN_TYPE_ID: block 123: type id 99';
      expect(await shown(handle)).toMatchObject({
        status: 'RUNNING',
        progress: { state: 'stopped', message },
      });
      expect(index.recorded).toEqual([{ network: 'fuji', chain: 'evm-43113', state: 'stopped', message }]);
      await handle.signal(INDEX_SIGNALS.pause); // changes nothing
      await handle.signal(INDEX_SIGNALS.resume);
      await eventually('it stops again', async () => {
        return index.recorded.length === 2 && (await shown(handle)).state === 'stopped';
      });
      expect(index.attempts).toBe(2);
      index.failure = undefined;
      await handle.signal(INDEX_SIGNALS.resume);
      await eventually('it runs', async () => Number((await shown(handle)).progress?.height) > 0);
      expect((await shown(handle)).progress).toMatchObject({ state: 'running', message: null });
      await handle.signal(INDEX_SIGNALS.pause);
      await eventually('it is paused', async () => (await shown(handle)).state === 'paused');
      await keepHistory('stopped-and-resumed', handle);
    });
  });

  it('retries what may pass by itself', async () => {
    const index = new FakeIndex();
    index.failure = ApplicationFailure.create({ type: 'NODE_UNREACHABLE', message: 'connection refused' });
    await run(index, async (handle) => {
      await eventually('several attempts', () => index.attempts >= 2);
      index.failure = undefined;
      await eventually('it runs', () => index.advances > 0);
      expect(index.recorded).toEqual([]);
      await handle.signal(INDEX_SIGNALS.pause);
      await eventually('it is paused', async () => (await shown(handle)).state === 'paused');
      await keepHistory('node-away-for-a-moment', handle);
    });
  });

  it.each(['running', 'paused', 'stopped'] as const)('starts over when it is %s', async (state) => {
    const index = new FakeIndex();
    if (state === 'stopped') {
      index.failure = ApplicationFailure.create({
        type: 'MALFORMED',
        message: 'block 1',
        nonRetryable: true,
      });
    }
    await run(index, async (handle) => {
      if (state === 'paused') await handle.signal(INDEX_SIGNALS.pause);
      else if (state === 'running') await eventually('it runs', () => index.height > 30);
      await eventually(`it is ${state}`, async () => (await shown(handle)).state === state);
      index.failure = undefined;
      index.isLong = true;
      await handle.signal(INDEX_SIGNALS.reindex);
      await eventually('it was reset', () => index.resets.length === 1);
      index.isLong = false;
      await eventually('it runs from the start', async () => {
        const { progress } = await shown(handle);
        return progress?.state === 'running' && Number(progress.height) > 0;
      });
      await handle.signal(INDEX_SIGNALS.pause);
      await eventually('it is paused', async () => (await shown(handle)).state === 'paused');
      await keepHistory(`reindexed-when-${state}`, handle);
    });
  });

  describe('with an attempt that dies when it is to end', () => {
    const startLong = async (index: FakeIndex): Promise<void> => {
      await eventually('it runs', () => index.height > 30);
      index.dyingWords = ApplicationFailure.create({ type: 'WORKER_GONE', message: 'no heartbeat' });
      index.isLong = true;
      const before = index.attempts;
      await eventually('a long advance', () => index.attempts > before);
    };

    it('pauses', async () => {
      const index = new FakeIndex();
      await run(index, async (handle) => {
        await startLong(index);
        await handle.signal(INDEX_SIGNALS.pause);
        await eventually('it is at rest', () => index.recorded.length > 0);
        expect(index.recorded).toEqual([
          { network: 'fuji', chain: 'evm-43113', state: 'paused', message: null },
        ]);
        await eventually('it is shown', async () => (await shown(handle)).state === 'paused');
        await keepHistory('paused-while-dying', handle);
      });
    });

    it('starts over, and goes on', async () => {
      const index = new FakeIndex();
      await run(index, async (handle) => {
        await startLong(index);
        await handle.signal(INDEX_SIGNALS.reindex);
        await eventually('it was reset', () => index.resets.length === 1);
        index.isLong = false;
        await eventually(
          'it runs from the start, or rests',
          () => index.height > 0 || index.recorded.length > 0,
        );
        expect(index.recorded).toEqual([]);
        await handle.signal(INDEX_SIGNALS.pause);
        await eventually('it is paused', async () => (await shown(handle)).state === 'paused');
        await keepHistory('reindexed-while-dying', handle);
      });
    });
  });

  it('continues as new before its history grows long, with its state and what it shows', async () => {
    const index = new FakeIndex();
    await run(
      index,
      async (handle) => {
        const first = (await handle.describe()).runId;
        await eventually('another run', async () => (await handle.describe()).runId !== first);
        await handle.signal(INDEX_SIGNALS.pause);
        await eventually('it is paused', async () => (await shown(handle)).state === 'paused');
        expect(Number((await shown(handle)).progress?.height)).toBeGreaterThan(0);
        const firstRun = runner.client.workflow.getHandle(handle.workflowId, first);
        await keepHistory('continued-as-new', firstRun);
      },
      { maxHistoryLength: 40 },
    );
  });

  it('has a part read again when a signal names one, and reports it when there is no such part', async () => {
    const index = new FakeIndex();
    await run(index, async (handle) => {
      await eventually('it runs', () => index.advances > 1);
      const part = { facet: 'traces', from: '5', to: '9' };
      await handle.signal(INDEX_SIGNALS.reindex, part);
      await eventually('it was reset', () => index.resets.length === 1);
      expect(index.resets).toEqual([{ network: 'fuji', chain: 'evm-43113', ...part }]);
      index.resetFailure = ApplicationFailure.create({
        type: 'NO_SUCH_PART',
        message: 'there is no facet smoke',
        nonRetryable: true,
      });
      index.isLong = true;
      await handle.signal(INDEX_SIGNALS.reindex, { facet: 'smoke' });
      await eventually('it says so', async () =>
        ((await shown(handle)).progress?.message ?? '').includes('there is no facet smoke'),
      );
      expect((await shown(handle)).status).toBe('RUNNING');
      index.isLong = false;
      await handle.signal(INDEX_SIGNALS.pause);
      await eventually('it is paused', async () => (await shown(handle)).state === 'paused');
      await keepHistory('parts-read-again', handle);
    });
  });
});
