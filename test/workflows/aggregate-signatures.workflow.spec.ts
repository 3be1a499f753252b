import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { SignatureAggregationActivities } from '../../workflows/contracts/activities.js';
import type {
  CollectSignaturesInput,
  SignedMessage,
} from '../../workflows/contracts/aggregate-signatures.js';
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
    resolveValidatorSet: 0,
    collectSignatures: 0,
    saveAggregatedSignature: 0,
  };
  readonly collectInputs: CollectSignaturesInput[] = [];

  constructor(private readonly replaced: Partial<SignatureAggregationActivities> = {}) {}

  asActivities(): SignatureAggregationActivities {
    return {
      aggregateRequests: async () => null,
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
  resolveValidatorSet: 0,
  collectSignatures: 0,
  saveAggregatedSignature: 0,
};

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

  const run = (
    activities: FakeActivities,
    check: (handle: Handle) => Promise<void>,
    signedBefore?: SignedMessage,
  ): Promise<void> =>
    runner.run(
      activities.asActivities(),
      (client, place) =>
        client.workflow.start<typeof aggregateSignaturesWorkflow>('aggregateSignaturesWorkflow', {
          ...place,
          args: signedBefore === undefined ? [input] : [input, signedBefore],
        }),
      check,
    );

  it('resolves the validators, collects and stores', async () => {
    const activities = new FakeActivities();
    await run(activities, async (handle) => {
      expect(await handle.result()).toEqual(signed);
      const { typedSearchAttributes } = await handle.describe();
      expect(typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value])).toEqual(
        expect.arrayContaining([
          ['NdsSigningSubnetId', validatorSet.signingSubnetId],
          ['NdsSignedPercentage', 80],
        ]),
      );
      await keepHistory('collected', handle);
    });
    expect(activities.asked).toEqual({
      resolveValidatorSet: 1,
      collectSignatures: 1,
      saveAggregatedSignature: 1,
    });
    expect(activities.collectInputs).toMatchObject([
      { pChainHeight: '56', signingSubnetId: validatorSet.signingSubnetId, message: '00' },
    ]);
  });

  it('ends at once with a failure that no retry helps, and stores nothing', async () => {
    const activities = new FakeActivities({
      collectSignatures: async () => {
        throw ApplicationFailure.create({
          type: 'INSUFFICIENT_SIGNATURES',
          message: '60 %',
          nonRetryable: true,
        });
      },
    });
    await run(activities, async (handle) => {
      expect(await failureOf(handle)).toMatchObject({ type: 'INSUFFICIENT_SIGNATURES', message: '60 %' });
      await keepHistory('too-few-signatures', handle);
    });
    expect(activities.asked).toEqual({ ...nothing, resolveValidatorSet: 1, collectSignatures: 1 });
  });

  it('lets another process try when the one that failed lacks the peers', async () => {
    let failures = 1;
    const activities = new FakeActivities({
      collectSignatures: async () => {
        if (failures-- > 0) throw ApplicationFailure.retryable('0 %', 'INSUFFICIENT_CONNECTED_WEIGHT');
        return signed;
      },
    });
    await run(activities, async (handle) => {
      expect(await handle.result()).toEqual(signed);
    });
    expect(activities.asked).toMatchObject({ collectSignatures: 2, saveAggregatedSignature: 1 });
  });

  it('ends with the want of peers where its activity reports that no other process has them', async () => {
    const activities = new FakeActivities({
      collectSignatures: async () => {
        throw ApplicationFailure.nonRetryable('0 %', 'INSUFFICIENT_CONNECTED_WEIGHT');
      },
    });
    await run(activities, async (handle) => {
      expect(await failureOf(handle)).toMatchObject({
        type: 'INSUFFICIENT_CONNECTED_WEIGHT',
        message: '0 %',
      });
    });
    expect(activities.asked).toMatchObject({ collectSignatures: 1, saveAggregatedSignature: 0 });
  });

  it('asks a node that fails a few times, then reports it', async () => {
    const activities = new FakeActivities({ resolveValidatorSet: brokenNode });
    await run(activities, async (handle) => {
      expect(await failureOf(handle)).toMatchObject({ type: 'NODE_UNREACHABLE' });
      await keepHistory('node-unreachable', handle);
    });
    expect(activities.asked).toEqual({ ...nothing, resolveValidatorSet: 3 });
  });

  it('carries on after a node was away for a moment', async () => {
    let failures = 2;
    const activities = new FakeActivities({
      resolveValidatorSet: async () => (failures-- > 0 ? brokenNode() : validatorSet),
    });
    await run(activities, async (handle) => {
      expect((await handle.result()).signedMessage).toBe('00');
      await keepHistory('node-away-for-a-moment', handle);
    });
  });

  it('stores a message that its run could not, and asks no validator again', async () => {
    let failures = 2;
    const activities = new FakeActivities({
      saveAggregatedSignature: async () => {
        if (failures-- > 0) throw new Error('connection terminated');
      },
    });
    const check = async (handle: Handle) => {
      expect((await handle.result()).signedMessage).toBe('00');
      await keepHistory('store-away', handle);
    };
    await run(activities, check, { validatorSet, collected: signed });
    expect(activities.asked).toEqual({ ...nothing, saveAggregatedSignature: 3 });
  });

  it('starts a collecting activity again whose worker broke', async () => {
    let failures = 1;
    const activities = new FakeActivities({
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
