import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { NativeSupplyActivities } from '../../workflows/contracts/activities.js';
import type { RefreshNativeSupplyInput } from '../../workflows/contracts/scheduled.js';
import type { refreshNativeSupplyWorkflow } from '../../workflows/scheduled.workflows.js';
import { keepHistory } from '../support/harness/histories.js';
import { failureOf } from '../support/harness/workflow-failure.js';
import { WorkflowRunner } from '../support/harness/workflow-runner.js';

const INPUT: RefreshNativeSupplyInput = { network: 'fuji' };

describe('refreshNativeSupplyWorkflow', () => {
  let runner: WorkflowRunner;

  beforeAll(async () => {
    runner = await WorkflowRunner.start();
  });

  afterAll(() => runner.stop());

  const run = (
    activities: Pick<NativeSupplyActivities, 'refreshNativeSupply'>,
    check: (handle: WorkflowHandle<typeof refreshNativeSupplyWorkflow>) => Promise<void>,
    input = INPUT,
  ): Promise<void> =>
    runner.run<typeof refreshNativeSupplyWorkflow>(
      activities,
      (client, place) =>
        client.workflow.start<typeof refreshNativeSupplyWorkflow>('refreshNativeSupplyWorkflow', {
          ...place,
          args: [input],
        }),
      check,
    );

  it.each([
    ['worked-out', null],
    ['incomplete', 'x-chain of fuji: its index is at 10 of 12'],
  ])('works out the supply of its network and reports what is missing: %s', async (name, problem) => {
    const asked: RefreshNativeSupplyInput[] = [];
    const refreshNativeSupply = async (input: RefreshNativeSupplyInput) => {
      asked.push(input);
      return Promise.resolve({ problem });
    };
    await run({ refreshNativeSupply }, async (handle) => {
      expect(await handle.result()).toEqual({ problem });
      expect(asked).toEqual([INPUT]);
      await keepHistory(name, handle);
    });
  });

  it.each([
    ['completed-later', 2, null],
    ['never-complete', 10, 'x-chain of fuji: its index is at 10 of 12'],
  ])(
    'tries again while something is missing, a bounded number of times: %s',
    async (name, wanted, problem) => {
      let tries = 0;
      const refreshNativeSupply = async () => {
        tries += 1;
        return Promise.resolve({ problem: tries < wanted ? 'not yet' : problem });
      };
      const check = async (handle: WorkflowHandle<typeof refreshNativeSupplyWorkflow>) => {
        expect(await handle.result()).toEqual({ problem });
        expect(tries).toBe(wanted);
        await keepHistory(name, handle);
      };
      await run({ refreshNativeSupply }, check, { ...INPUT, againAfterMs: 10 });
    },
  );

  it('fails at once when that cannot be found out, and leaves it to the next run of the schedule', async () => {
    let attempts = 0;
    const refreshNativeSupply = async () => {
      attempts += 1;
      return Promise.reject(ApplicationFailure.create({ type: 'ECONNREFUSED', message: 'no database' }));
    };
    await run({ refreshNativeSupply }, async (handle) => {
      expect(await failureOf(handle)).toMatchObject({
        type: 'ECONNREFUSED',
        message: 'no database',
      });
      expect(attempts).toBe(1);
      await keepHistory('failed', handle);
    });
  });
});
