import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import {
  type AuditResult,
  EVM_CHAINS_DIFFER,
  NATIVE_SUPPLY_DIFFERS,
  type NetworkInput,
  P_CHAIN_DIFFERS,
  X_CHAIN_DIFFERS,
} from '../../workflows/contracts/scheduled.js';
import {
  auditEvmChainsWorkflow,
  auditNativeSupplyWorkflow,
  auditPChainWorkflow,
  auditXChainWorkflow,
} from '../../workflows/scheduled.workflows.js';
import { keepHistory } from '../support/harness/histories.js';
import { failureOf } from '../support/harness/workflow-failure.js';
import { WorkflowRunner } from '../support/harness/workflow-runner.js';

const INPUT: NetworkInput = { network: 'fuji' };
const AGREES: AuditResult = { height: '7', comparisons: 12, skipped: ['pending'], differences: [] };
const DIFFERS: AuditResult = { ...AGREES, differences: ['supply: 5 and 6', 'stake: 1 and 2'] };
const away = (): ApplicationFailure =>
  ApplicationFailure.create({
    type: 'NODE_UNREACHABLE',
    message: 'no node answers',
    nextRetryDelay: '10 milliseconds',
  });

describe.each([
  ['auditEvmChains', auditEvmChainsWorkflow, EVM_CHAINS_DIFFER],
  ['auditNativeSupply', auditNativeSupplyWorkflow, NATIVE_SUPPLY_DIFFERS],
  ['auditPChain', auditPChainWorkflow, P_CHAIN_DIFFERS],
  ['auditXChain', auditXChainWorkflow, X_CHAIN_DIFFERS],
] as const)('the workflow of %s', (activity, workflow, differs) => {
  let runner: WorkflowRunner;

  beforeAll(async () => {
    runner = await WorkflowRunner.start();
  });

  afterAll(() => runner.stop());

  /** Runs it over an activity that does this; `asked` has the activity's inputs. */
  const run = (
    audit: (attempt: number) => AuditResult,
    check: (handle: WorkflowHandle<typeof workflow>, asked: readonly NetworkInput[]) => Promise<void>,
  ): Promise<void> => {
    const asked: NetworkInput[] = [];
    const answer = async (input: NetworkInput): Promise<AuditResult> => audit(asked.push(input));
    return runner.run<typeof workflow>(
      { [activity]: answer },
      (client, place) =>
        client.workflow.start<typeof workflow>(workflow.name, {
          taskQueue: place.taskQueue,
          workflowId: place.workflowId,
          args: [INPUT],
        }),
      (handle) => check(handle, asked),
    );
  };

  it('ends with what was compared when database and node agree', async () => {
    await run(
      () => AGREES,
      async (handle, asked) => {
        expect(await handle.result()).toEqual(AGREES);
        expect(asked).toEqual([INPUT]);
        await keepHistory('agrees', handle);
      },
    );
  });

  it('fails with the differences, which are not asked for again', async () => {
    await run(
      () => DIFFERS,
      async (handle, asked) => {
        expect(await failureOf(handle)).toMatchObject({
          type: differs,
          message: 'the database differs from the node at height 7: supply: 5 and 6; stake: 1 and 2',
          details: [DIFFERS],
        });
        expect(asked).toHaveLength(1);
        await keepHistory('differs', handle);
      },
    );
  });

  it('asks a node again that was away for a moment', async () => {
    const audit = (attempt: number): AuditResult => {
      if (attempt === 1) throw away();
      return AGREES;
    };
    await run(audit, async (handle, asked) => {
      expect(await handle.result()).toEqual(AGREES);
      expect(asked).toEqual([INPUT, INPUT]);
      await keepHistory('node-away-for-a-moment', handle);
    });
  });

  it('gives up after three times, and leaves it to the next run of the schedule', async () => {
    const audit = (): never => {
      throw away();
    };
    await run(audit, async (handle, asked) => {
      expect(await failureOf(handle)).toMatchObject({ type: 'NODE_UNREACHABLE', message: 'no node answers' });
      expect(asked).toHaveLength(3);
      await keepHistory('given-up', handle);
    });
  });
});
