import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { NetworkInput, PollValidatorsResult } from '../../workflows/contracts/scheduled.js';
import { pollValidatorsWorkflow } from '../../workflows/scheduled.workflows.js';
import { keepHistory } from '../support/harness/histories.js';
import { failureOf } from '../support/harness/workflow-failure.js';
import { WorkflowRunner } from '../support/harness/workflow-runner.js';

const INPUT: NetworkInput = { network: 'fuji' };
const POLLED: PollValidatorsResult = { nodesAsked: 2, peerListsRead: 1, validators: 30 };

describe(pollValidatorsWorkflow.name, () => {
  let runner: WorkflowRunner;

  beforeAll(async () => {
    runner = await WorkflowRunner.start();
  });

  afterAll(() => runner.stop());

  const run = (
    pollValidators: (input: NetworkInput) => Promise<PollValidatorsResult>,
    check: (handle: WorkflowHandle<typeof pollValidatorsWorkflow>) => Promise<void>,
  ): Promise<void> =>
    runner.run<typeof pollValidatorsWorkflow>(
      { pollValidators },
      (client, place) =>
        client.workflow.start<typeof pollValidatorsWorkflow>(pollValidatorsWorkflow.name, {
          taskQueue: place.taskQueue,
          workflowId: place.workflowId,
          args: [INPUT],
        }),
      check,
    );

  it('ends with the number of nodes and validators that it has heard of', async () => {
    const asked: NetworkInput[] = [];
    const pollValidators = async (input: NetworkInput): Promise<PollValidatorsResult> => {
      asked.push(input);
      return POLLED;
    };
    await run(pollValidators, async (handle) => {
      expect(await handle.result()).toEqual(POLLED);
      expect(asked).toEqual([INPUT]);
      await keepHistory('polled', handle);
    });
  });

  it('fails at once when no node answers, and leaves it to the next run of the schedule', async () => {
    let attempts = 0;
    const pollValidators = async (): Promise<never> => {
      attempts += 1;
      throw ApplicationFailure.create({ type: 'NODE_UNREACHABLE', message: 'no node answers' });
    };
    await run(pollValidators, async (handle) => {
      expect(await failureOf(handle)).toMatchObject({ type: 'NODE_UNREACHABLE', message: 'no node answers' });
      expect(attempts).toBe(1);
      await keepHistory('failed', handle);
    });
  });
});
