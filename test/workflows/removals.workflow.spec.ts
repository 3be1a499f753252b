import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import {
  removeExpiredExportsWorkflow,
  removeOldSignaturesWorkflow,
} from '../../workflows/scheduled.workflows.js';
import { keepHistory } from '../support/harness/histories.js';
import { failureOf } from '../support/harness/workflow-failure.js';
import { WorkflowRunner } from '../support/harness/workflow-runner.js';

const EXPORTS = { abandonedAfterSeconds: 86_400, forgottenAfterSeconds: 604_800 };
const SIGNATURES = { olderThanDays: 30 };
const away = (): ApplicationFailure =>
  ApplicationFailure.create({
    type: 'ECONNREFUSED',
    message: 'no database',
    nextRetryDelay: '10 milliseconds',
  });

describe.each([
  [removeExpiredExportsWorkflow.name, 'removeExpiredExports', EXPORTS],
  [removeOldSignaturesWorkflow.name, 'removeOldSignatures', SIGNATURES],
])('%s', (workflow, activity, input) => {
  let runner: WorkflowRunner;

  beforeAll(async () => {
    runner = await WorkflowRunner.start();
  });

  afterAll(() => runner.stop());

  /** Runs it over an activity that fails so often; `asked` has the activity's inputs. */
  const run = (
    failures: number,
    check: (handle: WorkflowHandle, asked: readonly unknown[]) => Promise<void>,
  ): Promise<void> => {
    const asked: unknown[] = [];
    const remove = async (what: unknown): Promise<void> => {
      if (asked.push(what) <= failures) throw away();
    };
    return runner.run(
      { [activity]: remove },
      (client, place) =>
        client.workflow.start(workflow, {
          taskQueue: place.taskQueue,
          workflowId: place.workflowId,
          args: [input],
        }),
      (handle) => check(handle, asked),
    );
  };

  it.each([
    ['removed', 0],
    ['database-away-for-a-moment', 1],
  ])('removes what is too old, and tries again when that fails: %s', async (name, failures) => {
    await run(failures, async (handle, asked) => {
      await handle.result();
      expect(asked).toEqual(Array.from({ length: failures + 1 }, () => input));
      await keepHistory(name, handle);
    });
  });

  it('gives up after five times, and leaves it to the next run of the schedule', async () => {
    await run(Infinity, async (handle, asked) => {
      expect(await failureOf(handle)).toMatchObject({ type: 'ECONNREFUSED', message: 'no database' });
      expect(asked).toHaveLength(5);
      await keepHistory('given-up', handle);
    });
  });
});
