import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { SignatureAggregationActivities } from '../../workflows/contracts/activities.js';
import type { CollectSignaturesInput } from '../../workflows/contracts/aggregate-signatures.js';
import type { aggregateSignaturesWorkflow } from '../../workflows/aggregate-signatures.workflow.js';
import { COLLECTED, makeAggregationInput, VALIDATOR_SET } from '../support/signatures/aggregation-inputs.js';
import { keepHistory } from '../support/harness/histories.js';
import { failureOf } from '../support/harness/workflow-failure.js';
import { WorkflowRunner } from '../support/harness/workflow-runner.js';

const validatorSet = VALIDATOR_SET;
const signed = COLLECTED;
const input = makeAggregationInput('cd'.repeat(32));

/** Counts what the workflow asked for; each activity can be replaced. */
class FakeActivities {
  readonly asked = {
    aggregateQuickly: 0,
    resolveValidatorSet: 0,
    collectSignatures: 0,
    saveAggregatedSignature: 0,
  };
  readonly collectInputs: CollectSignaturesInput[] = [];

  constructor(private readonly replaced: Partial<SignatureAggregationActivities> = {}) {}

  asActivities(): SignatureAggregationActivities {
    return {
      aggregateQuickly: async (request) => {
        this.asked.aggregateQuickly += 1;
        return (
          this.replaced.aggregateQuickly?.(request) ?? { validatorSet, collected: signed, isSaved: true }
        );
      },
      aggregateRequests: async () => ({ outcomes: [], isMoreComing: false }),
      resolveValidatorSet: async (request) => {
        this.asked.resolveValidatorSet += 1;
        return this.replaced.resolveValidatorSet?.(request) ?? validatorSet;
      },
      collectSignatures: async (request) => {
        this.asked.collectSignatures += 1;
        this.collectInputs.push(request);
        return this.replaced.collectSignatures?.(request) ?? signed;
      },
      saveAggregatedSignature: async (request) => {
        this.asked.saveAggregatedSignature += 1;
        await this.replaced.saveAggregatedSignature?.(request);
      },
      removeOldSignatures: async () => undefined,
    };
  }
}

const nothing = {
  aggregateQuickly: 0,
  resolveValidatorSet: 0,
  collectSignatures: 0,
  saveAggregatedSignature: 0,
};

const incomplete = async () => ({ validatorSet, isSaved: false });

const brokenNode = async (): Promise<never> => {
  throw ApplicationFailure.create({ type: 'NODE_UNREACHABLE', message: 'connection refused' });
};

describe('aggregateSignaturesWorkflow', () => {
  let runner: WorkflowRunner;

  beforeAll(async () => {
    runner = await WorkflowRunner.start();
  });

  afterAll(() => runner.stop());

  type Handle = WorkflowHandle<typeof aggregateSignaturesWorkflow>;

  const run = (activities: FakeActivities, check: (handle: Handle) => Promise<void>): Promise<void> =>
    runner.run(
      activities.asActivities(),
      (client, place) =>
        client.workflow.start<typeof aggregateSignaturesWorkflow>('aggregateSignaturesWorkflow', {
          ...place,
          args: [input],
        }),
      check,
    );

  it('takes one workflow task and no regular activity when all goes well', async () => {
    const activities = new FakeActivities();
    await run(activities, async (handle) => {
      expect(await handle.result()).toMatchObject({
        signedMessage: '00',
        validatorSetDigest: 'ab'.repeat(32),
      });
      const { events = [] } = await handle.fetchHistory();
      const types = (events ?? []).map((event) => Number(event.eventType));
      const EVENT_TYPE_WORKFLOW_TASK_STARTED = 6;
      const EVENT_TYPE_ACTIVITY_TASK_SCHEDULED = 10;
      expect(types.filter((type) => type === EVENT_TYPE_WORKFLOW_TASK_STARTED)).toHaveLength(1);
      expect(types).not.toContain(EVENT_TYPE_ACTIVITY_TASK_SCHEDULED);
      const { typedSearchAttributes } = await handle.describe();
      expect(typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value])).toEqual(
        expect.arrayContaining([
          ['NdsSigningSubnetId', validatorSet.signingSubnetId],
          ['NdsSignedPercentage', 80],
        ]),
      );
      await keepHistory('fast-path', handle);
    });
    expect(activities.asked).toEqual({ ...nothing, aggregateQuickly: 1 });
  });

  it('hands over to the regular activities when the fast path is incomplete', async () => {
    const activities = new FakeActivities({ aggregateQuickly: incomplete });
    await run(activities, async (handle) => {
      expect((await handle.result()).signedPercentage).toBe(80);
      await keepHistory('regular-path', handle);
    });
    expect(activities.asked).toEqual({
      aggregateQuickly: 1,
      resolveValidatorSet: 0,
      collectSignatures: 1,
      saveAggregatedSignature: 1,
    });
    expect(activities.collectInputs).toMatchObject([
      { pChainHeight: '56', signingSubnetId: validatorSet.signingSubnetId, message: '00' },
    ]);
  });

  it.each(['aggregateQuickly', 'collectSignatures'] as const)(
    'ends at once with a failure of %s that no retry helps, and stores nothing',
    async (activity) => {
      const refuse = async (): Promise<never> => {
        throw ApplicationFailure.create({
          type: 'INSUFFICIENT_SIGNATURES',
          message: '60 %',
          nonRetryable: true,
        });
      };
      const activities = new FakeActivities({ aggregateQuickly: incomplete, [activity]: refuse });
      await run(activities, async (handle) => {
        expect(await failureOf(handle)).toMatchObject({ type: 'INSUFFICIENT_SIGNATURES', message: '60 %' });
        await keepHistory(`too-few-signatures-${activity}`, handle);
      });
      expect(activities.asked[activity]).toBe(1);
      expect(activities.asked.saveAggregatedSignature).toBe(0);
    },
  );

  it('asks a node that fails a few times, then reports it', async () => {
    const activities = new FakeActivities({ aggregateQuickly: brokenNode, resolveValidatorSet: brokenNode });
    await run(activities, async (handle) => {
      expect(await failureOf(handle)).toMatchObject({ type: 'NODE_UNREACHABLE' });
      await keepHistory('node-unreachable', handle);
    });
    expect(activities.asked).toEqual({ ...nothing, aggregateQuickly: 1, resolveValidatorSet: 3 });
  });

  it('carries on after a node was away for a moment', async () => {
    const activities = new FakeActivities({ aggregateQuickly: brokenNode });
    await run(activities, async (handle) => {
      expect((await handle.result()).signedMessage).toBe('00');
      await keepHistory('node-away-for-a-moment', handle);
    });
  });

  it('survives an outage of the store without asking the validators again', async () => {
    let failures = 2;
    const activities = new FakeActivities({
      aggregateQuickly: async () => ({ validatorSet, collected: signed, isSaved: false }),
      saveAggregatedSignature: async () => {
        if (failures-- > 0) throw new Error('connection terminated');
      },
    });
    await run(activities, async (handle) => {
      expect((await handle.result()).signedMessage).toBe('00');
      await keepHistory('store-away', handle);
    });
    expect(activities.asked).toEqual({ ...nothing, aggregateQuickly: 1, saveAggregatedSignature: 3 });
  });

  it('starts a collecting activity again whose worker broke', async () => {
    let failures = 1;
    const activities = new FakeActivities({
      aggregateQuickly: incomplete,
      collectSignatures: async () => {
        if (failures-- > 0) throw new Error('socket hang up');
        return signed;
      },
    });
    await run(activities, async (handle) => {
      expect((await handle.result()).signedMessage).toBe('00');
      await keepHistory('collecting-retried', handle);
    });
    expect(activities.asked.collectSignatures).toBe(2);
  });
});
