import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure, defaultPayloadConverter } from '@temporalio/common';
import { type Operation, OperationStateSchema } from '../../src/resources/operations/operation.js';
import {
  type ExportTransactionsInput,
  OPERATION_MEMO,
  REQUEST_DIGEST_MEMO,
  TRANSACTION_EXPORT_EVM,
} from '../../workflows/contracts/export-transactions.js';
import type { exportTransactionsWorkflow } from '../../workflows/export-transactions.workflow.js';
import { eventually } from '../support/harness/eventually.js';
import { keepHistory } from '../support/harness/histories.js';
import { exportInput, FakeExport } from '../support/exports/operations-workflow.js';
import { WorkflowRunner } from '../support/harness/workflow-runner.js';

type Handle = WorkflowHandle<typeof exportTransactionsWorkflow>;
type State = Operation['state'];

/** A busy machine has begun a turn by then, and is not taken for one that is dead: that would be the last failure. */
const SOON = { turnMs: 50, heartbeatMs: 10_000, giveUpMs: 20_000 };

describe('exportTransactionsWorkflow', () => {
  let runner: WorkflowRunner;

  beforeAll(async () => {
    runner = await WorkflowRunner.start();
  });

  afterAll(() => runner.stop());

  async function run(
    activities: FakeExport,
    check: (handle: Handle, input: ExportTransactionsInput) => Promise<void>,
    options: Partial<ExportTransactionsInput> = {},
  ): Promise<void> {
    let input = exportInput(options);
    await runner.run(
      activities.asActivities(),
      (client, place) => {
        // Anew: its time begins once the worker is there.
        input = exportInput(options);
        return client.workflow.start<typeof exportTransactionsWorkflow>('exportTransactionsWorkflow', {
          ...place,
          args: [input],
          memo: { [OPERATION_MEMO]: input.state, [REQUEST_DIGEST_MEMO]: input.requestDigest },
        });
      },
      (handle) => check(handle, input),
    );
  }

  const shown = async (handle: Handle) => {
    const { memo, status, typedSearchAttributes } = await handle.describe();
    const [attribute] = typedSearchAttributes
      .getAll()
      .flatMap(({ key, value }) => (key.name === 'NdsOperationStatus' ? [value] : []));
    return { state: OperationStateSchema.parse(memo?.[OPERATION_MEMO]), status: status.name, attribute };
  };

  /** How it has failed, outermost first. */
  const closed = async (handle: Handle): Promise<string[]> => {
    try {
      await handle.result();
      return [];
    } catch (error) {
      const failures: string[] = [];
      for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
        if (cause instanceof ApplicationFailure) failures.push(`${cause.type}: ${cause.message}`);
      }
      return failures;
    }
  };

  it('goes on turn by turn, records begin and end, and shows the end', async () => {
    const activities = new FakeExport();
    activities.end = { notes: ['chain 43113: internal transfers are not in the file'] };
    await run(activities, async (handle, input) => {
      const { operationId, requestDigest, request, limits, state: accepted } = input;
      const result = await handle.result();
      expect(result).toEqual({
        ...accepted,
        status: 'COMPLETED',
        message: '300 rows; chain 43113: internal transfers are not in the file',
        rows: 300,
        bytes: 3_000,
        percentage: 100,
        updatedAt: expect.any(Number),
        expiresAt: result.updatedAt + 3_600,
      });
      expect(activities.turns).toBe(3);
      expect(activities.inputs).toEqual(
        Array.from({ length: 3 }, () => ({ operationId, request, limits, durationMs: 50 })),
      );
      const record = { operationId, requestDigest, request, type: TRANSACTION_EXPORT_EVM };
      expect(activities.recorded).toEqual([
        { ...record, state: accepted },
        { ...record, state: result },
      ]);
      expect(await shown(handle)).toEqual({ state: result, status: 'COMPLETED', attribute: 'COMPLETED' });
      expect(activities.removed).toEqual([]);
      await keepHistory('completed', handle);
    });
  });

  it('shows where it is', async () => {
    const activities = new FakeExport();
    activities.length = 1_000_000;
    await run(activities, async (handle) => {
      await eventually('a turn', () => activities.turns > 0);
      activities.isLong = true;
      await eventually('progress is shown', async () => (await shown(handle)).state.rows > 0);
      const { state, status, attribute } = await shown(handle);
      expect({ status, attribute }).toEqual({ status: 'RUNNING', attribute: 'RUNNING' });
      expect(state).toMatchObject({ status: 'RUNNING', code: null, nextDate: null, expiresAt: null });
      expect(state.percentage).toBe(12.5);
      const where = `${state.rows} rows so far, 12.5 % done, at chain 43113 and day 2026-01-04`;
      // Minutes where the machine has taken its time.
      expect(state.message).toMatch(new RegExp(`^${where}, about \\d+ (s|min) left$`));
    });
  });

  it('ends with a warning and the day to go on from when it reached a limit', async () => {
    const activities = new FakeExport();
    activities.length = 1;
    activities.end = { state: 'truncated', nextDate: '2026-01-17', notes: ['a', 'b'] };
    await run(activities, async (handle) => {
      expect(await handle.result()).toMatchObject({
        status: 'COMPLETED_WITH_WARNING',
        code: 'WarnTruncatedExport',
        nextDate: '2026-01-17',
        message: '100 rows; continue with firstDate 2026-01-17; a; b',
        rows: 100,
      });
      await keepHistory('truncated', handle);
    });
  });

  it('ends with a warning, and nothing to go on from, when rows are missing in between', async () => {
    const activities = new FakeExport();
    activities.length = 1;
    activities.end = { hasGaps: true, notes: ['internal transfers are missing on 2026-01-03'] };
    await run(activities, async (handle) => {
      expect(await handle.result()).toMatchObject({
        status: 'COMPLETED_WITH_WARNING',
        code: null,
        nextDate: null,
        message: '100 rows; internal transfers are missing on 2026-01-03',
      });
    });
  });

  it('bounds the notes that it repeats', async () => {
    const activities = new FakeExport();
    activities.length = 1;
    activities.end = { notes: Array.from({ length: 25 }, (_, i) => `note ${i}`) };
    await run(activities, async (handle) => {
      const { message } = await handle.result();
      expect(message).toMatch(/note 18; note 19; and 5 more notes$/);
    });
  });

  it('stays running while something is away, and goes on', async () => {
    const activities = new FakeExport();
    activities.failure = ApplicationFailure.create({
      type: 'STORAGE_UNAVAILABLE',
      message: '10.0.0.1: refused',
    });
    activities.recordFailure = new Error('connection terminated');
    await run(activities, async (handle) => {
      await eventually('the first attempt to record', async () => {
        const { pendingActivities } = (await handle.describe()).raw;
        return pendingActivities?.some(({ attempt }) => (attempt ?? 0) > 1) ?? false;
      });
      activities.recordFailure = undefined;
      await eventually('several attempts', () => activities.attempts >= 2);
      expect((await shown(handle)).state).toMatchObject({ status: 'RUNNING', message: 'accepted' });
      activities.failure = undefined;
      expect(await handle.result()).toMatchObject({ status: 'COMPLETED', rows: 300 });
      await keepHistory('storage-away-for-a-moment', handle);
    });
  });

  it('fails visibly at what no retry mends, and removes what was stored', async () => {
    const activities = new FakeExport();
    activities.failure = ApplicationFailure.create({
      type: 'FOREIGN_CHAIN',
      message: 'http://10.0.0.1:9650 has another genesis',
      nonRetryable: true,
    });
    await run(activities, async (handle, { operationId }) => {
      const message = 'the export has failed (FOREIGN_CHAIN)';
      expect(await closed(handle)).toEqual([
        `ErrInternal: ${message}`,
        'FOREIGN_CHAIN: http://10.0.0.1:9650 has another genesis',
      ]);
      const { state, status, attribute } = await shown(handle);
      expect({ status, attribute }).toEqual({ status: 'FAILED', attribute: 'FAILED' });
      expect(state).toMatchObject({ status: 'FAILED', code: 'ErrInternal', message, expiresAt: null });
      expect(activities.recorded.at(-1)?.state).toEqual(state);
      expect(activities.removed).toEqual([operationId]);
      await keepHistory('failed', handle);
    });
  });

  it.each([
    ['of ours', 'NODE_UNREACHABLE', 'ErrInternal', 'the export did not end in time (NODE_UNREACHABLE)'],
    ['of nobody', 'TypeError', 'ErrInternal', 'the export did not end in time'],
    [
      'of the request',
      'CHAIN_NOT_CONFIGURED',
      'ErrInvalidRequest',
      'a chain of the export is no longer configured',
    ],
  ])('gives up when its time is over with an obstacle %s', async (_name, type, code, message) => {
    const activities = new FakeExport();
    activities.failure = ApplicationFailure.create({ type, message: '10.0.0.1' });
    await run(
      activities,
      async (handle) => {
        await closed(handle);
        expect((await shown(handle)).state).toMatchObject({ status: 'FAILED', code, message });
        await keepHistory(`given-up-without-a-day-${type}`, handle);
      },
      { timeouts: SOON },
    );
  });

  it('ends with its whole days when its time is over', async () => {
    const activities = new FakeExport();
    activities.failure = ApplicationFailure.create({ type: 'NODE_UNREACHABLE', message: '10.0.0.1' });
    activities.kept = {
      ...activities.progress(),
      state: 'truncated',
      rows: 70,
      bytes: 700,
      nextDate: '2026-01-09',
      notes: ['a'],
    };
    await run(
      activities,
      async (handle) => {
        const result = await handle.result();
        expect(result).toMatchObject({
          status: 'COMPLETED_WITH_WARNING',
          code: 'WarnTruncatedExport',
          message:
            '70 rows; continue with firstDate 2026-01-09; the export did not end in time (NODE_UNREACHABLE); a',
          nextDate: '2026-01-09',
          rows: 70,
          bytes: 700,
          expiresAt: result.updatedAt + 3_600,
        });
        expect(activities.recorded.at(-1)?.state).toEqual(result);
        expect(activities.removed).toEqual([]);
        await keepHistory('given-up-with-whole-days', handle);
      },
      { timeouts: SOON },
    );
  });

  it('ends with its whole days when no node has the states of the others', async () => {
    const activities = new FakeExport();
    const message = 'no node has them';
    activities.failure = ApplicationFailure.create({
      type: 'STATE_UNAVAILABLE',
      message,
      nonRetryable: true,
    });
    activities.kept = { ...activities.progress(), state: 'truncated', nextDate: '2026-01-09', notes: [] };
    await run(activities, async (handle) => {
      expect(await handle.result()).toMatchObject({
        status: 'COMPLETED_WITH_WARNING',
        nextDate: '2026-01-09',
        message: expect.stringMatching(/not indexed on these days, and none of its nodes has the states/),
      });
      expect(activities.attempts).toBe(1);
    });
  });

  it('fails when its time is over and its days cannot be kept', async () => {
    const activities = new FakeExport();
    activities.failure = ApplicationFailure.create({ type: 'NODE_UNREACHABLE', message: '10.0.0.1' });
    activities.keepFailure = ApplicationFailure.nonRetryable('no', 'UNKNOWN');
    await run(
      activities,
      async (handle, { operationId }) => {
        await closed(handle);
        expect((await shown(handle)).state).toMatchObject({ status: 'FAILED', code: 'ErrInternal' });
        expect(activities.removed).toEqual([operationId]);
      },
      { timeouts: SOON },
    );
  });

  it('gives up in the middle of a turn that never ends', async () => {
    const activities = new FakeExport();
    activities.isLong = true;
    await run(
      activities,
      async (handle) => {
        await closed(handle);
        expect((await shown(handle)).state).toMatchObject({
          status: 'FAILED',
          code: 'ErrInternal',
          message: 'the export did not end in time',
        });
        // It hears of it with its next heartbeat, and so does one before it that was late with a heartbeat.
        const isCancelled = (): boolean =>
          activities.attempts > 0 && activities.cancelled === activities.attempts;
        await eventually('the turn is cancelled', isCancelled);
      },
      { timeouts: SOON },
    );
  });

  it('ends when its time was over before it began', async () => {
    const activities = new FakeExport();
    const { state } = exportInput();
    await run(
      activities,
      async (handle) => {
        await closed(handle);
        expect((await shown(handle)).state).toMatchObject({ message: 'the export did not end in time' });
      },
      { state: { ...state, createdAt: state.createdAt - 100 }, timeouts: SOON },
    );
    expect(activities.attempts).toBe(0);
  });

  it('can be cancelled, and cleans up after the turn has ended', async () => {
    const activities = new FakeExport();
    activities.isLong = true;
    await run(activities, async (handle, { operationId }) => {
      await eventually('a turn', () => activities.attempts > 0);
      await handle.cancel();
      await closed(handle);
      const { state, status } = await shown(handle);
      expect(status).toBe('CANCELLED');
      expect(state).toMatchObject({
        status: 'FAILED',
        code: 'ErrInternal',
        message: 'the export was cancelled',
      });
      expect(activities.cancelled).toBe(1);
      expect(activities.recorded.at(-1)?.state).toEqual(state);
      expect(activities.removed).toEqual([operationId]);
      await keepHistory('cancelled', handle);
    });
  });

  it.each([
    { when: 'while its whole days are kept', gate: 'beforeKept', status: 'CANCELLED', shows: 'FAILED' },
    { when: 'while its end is recorded', gate: 'beforeEnd', status: 'COMPLETED', shows: 'COMPLETED' },
  ] as const)('leaves no file when it is cancelled $when', async ({ gate, status, shows }) => {
    const activities = new FakeExport();
    if (gate === 'beforeKept') {
      activities.failure = ApplicationFailure.nonRetryable('no node has them', 'STATE_UNAVAILABLE');
      activities.kept = { ...activities.progress(), state: 'truncated', nextDate: '2026-01-09', notes: [] };
    }
    let isThere = (): void => undefined;
    const reached = new Promise<void>((resolve) => (isThere = resolve));
    let goOn = (): void => undefined;
    const cancelled = new Promise<void>((resolve) => (goOn = resolve));
    activities[gate] = () => {
      isThere();
      return cancelled;
    };
    await run(activities, async (handle, { operationId }) => {
      await reached;
      await handle.cancel();
      goOn();
      await closed(handle);
      expect(await shown(handle)).toMatchObject({ status, state: { status: shows } });
      expect(activities.recorded.filter(({ state }) => state.status !== 'RUNNING')).toHaveLength(1);
      expect(activities.removed).toEqual([operationId]);
    });
  });

  it('fails all the same when its files cannot be removed', async () => {
    const activities = new FakeExport();
    activities.failure = ApplicationFailure.nonRetryable('no', 'FOREIGN_CHAIN');
    activities.removeFailure = ApplicationFailure.nonRetryable('no', 'STORAGE_UNAVAILABLE');
    await run(activities, async (handle) => {
      await closed(handle);
      expect((await shown(handle)).status).toBe('FAILED');
      await keepHistory('failed-without-cleaning-up', handle);
    });
  });

  it('continues as new before its history grows long, and shows where it is all the time', async () => {
    const activities = new FakeExport();
    activities.length = 12;
    await run(
      activities,
      async (handle, { state: accepted }) => {
        expect(await handle.result()).toMatchObject({
          status: 'COMPLETED',
          rows: 1_200,
          createdAt: accepted.createdAt,
        });
        const memos: State[] = [];
        let { runId } = await handle.describe();
        for (;;) {
          const earlier = runner.client.workflow.getHandle(handle.workflowId, runId);
          const { events } = await earlier.fetchHistory();
          const started = events?.[0]?.workflowExecutionStartedEventAttributes;
          const memo = started?.memo?.fields?.[OPERATION_MEMO];
          if (memo === undefined) throw new Error('a run without a memo');
          memos.unshift(OperationStateSchema.parse(defaultPayloadConverter.fromPayload(memo)));
          const before = started?.continuedExecutionRunId ?? '';
          if (before === '') {
            await keepHistory('continued-as-new', earlier);
            break;
          }
          if (memos.length === 1) await keepHistory('continued', earlier);
          runId = before;
        }
        expect(memos.length).toBeGreaterThan(2);
        const rows = memos.map((memo) => memo.rows);
        expect(rows).toEqual([...rows].sort((a, b) => a - b));
        expect(rows.at(-1)).toBeGreaterThan(500);
        expect(activities.turns).toBe(12);
        expect(activities.recorded.map(({ state }) => state.status)).toEqual(['RUNNING', 'COMPLETED']);
      },
      { maxHistoryLength: 40 },
    );
  });
});
