import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { ApiUsageActivities } from '../../workflows/contracts/activities.js';
import type { RollUpApiUsageInput } from '../../workflows/contracts/scheduled.js';
import type { rollUpApiUsageWorkflow } from '../../workflows/scheduled.workflows.js';
import { keepHistory } from '../support/harness/histories.js';
import { failureOf } from '../support/harness/workflow-failure.js';
import { WorkflowRunner } from '../support/harness/workflow-runner.js';

const INPUT: RollUpApiUsageInput = { logDays: 35, usageDays: 800 };
const away = (): ApplicationFailure =>
  ApplicationFailure.create({ type: 'ECONNREFUSED', message: 'no database' });

describe('rollUpApiUsageWorkflow', () => {
  let runner: WorkflowRunner;

  beforeAll(async () => {
    runner = await WorkflowRunner.start();
  });

  afterAll(() => runner.stop());

  const run = (
    activities: Pick<ApiUsageActivities, 'rollUpApiUsage'>,
    check: (handle: WorkflowHandle<typeof rollUpApiUsageWorkflow>) => Promise<void>,
  ): Promise<void> =>
    runner.run<typeof rollUpApiUsageWorkflow>(
      activities,
      (client, place) =>
        client.workflow.start<typeof rollUpApiUsageWorkflow>('rollUpApiUsageWorkflow', {
          ...place,
          args: [INPUT],
        }),
      check,
    );

  it.each([
    ['summed-up', 0],
    ['database-away-for-a-moment', 1],
  ])('sums up what there is, and tries again when that fails: %s', async (name, failures) => {
    const asked: RollUpApiUsageInput[] = [];
    const rollUpApiUsage = async (input: RollUpApiUsageInput) => {
      asked.push(input);
      return asked.length > failures ? Promise.resolve() : Promise.reject(away());
    };
    await run({ rollUpApiUsage }, async (handle) => {
      await handle.result();
      expect(asked).toEqual(Array.from({ length: failures + 1 }, () => INPUT));
      await keepHistory(name, handle);
    });
  });

  it('gives up after three times, and leaves it to the next run of the schedule', async () => {
    let attempts = 0;
    const rollUpApiUsage = async () => {
      attempts += 1;
      return Promise.reject(away());
    };
    await run({ rollUpApiUsage }, async (handle) => {
      expect(await failureOf(handle)).toMatchObject({ type: 'ECONNREFUSED', message: 'no database' });
      expect(attempts).toBe(3);
      await keepHistory('given-up', handle);
    });
  });
});
