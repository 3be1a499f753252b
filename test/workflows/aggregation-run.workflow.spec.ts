import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { WorkflowHandle } from '@temporalio/client';
import { randomUUID } from 'node:crypto';
import type { aggregationRunWorkflow } from '../../workflows/aggregation-run.workflow.js';
import type { SignatureAggregationActivities } from '../../workflows/contracts/activities.js';
import {
  type AggregateSignaturesInput,
  LOWEST_PRIORITY,
  makeAggregateSignaturesWorkflowId,
  type SaveAggregatedSignatureInput,
} from '../../workflows/contracts/aggregate-signatures.js';
import {
  ADD_REQUESTS,
  type AggregateRequestsInput,
  type RequestOutcome,
} from '../../workflows/contracts/aggregation-run.js';
import { COLLECTED, makeAggregationInput, VALIDATOR_SET } from '../support/signatures/aggregation-inputs.js';
import { keepHistory } from '../support/harness/histories.js';
import { failureOf } from '../support/harness/workflow-failure.js';
import { WorkflowRunner } from '../support/harness/workflow-runner.js';

type Handle = WorkflowHandle<typeof aggregationRunWorkflow>;
type Activities = Pick<SignatureAggregationActivities, 'aggregateRequests'> &
  Partial<SignatureAggregationActivities>;

const validatorSet = VALIDATOR_SET;
const collected = COLLECTED;

function makeInput(name: string): AggregateSignaturesInput {
  // Never the same twice: the children's ids follow from it.
  const digest = Buffer.from(`${name} ${randomUUID()}`).toString('hex');
  return { ...makeAggregationInput(digest), requestId: `id of ${name}` };
}

const signed = ({ requestDigest, requestId }: AggregateSignaturesInput): RequestOutcome => ({
  requestDigest,
  ...(requestId === undefined ? {} : { requestId }),
  status: 'signed',
  signingSubnetId: validatorSet.signingSubnetId,
  signers: 4,
  signedPercentage: 80,
});

const allSigned = async ({ requests }: AggregateRequestsInput) => ({
  outcomes: requests.map(signed),
  isMoreComing: false,
});

const WORKFLOW_TASK_STARTED = 6;
const ACTIVITY_TASK_TIMED_OUT = 14;

/** Holds up whoever waits until it is opened. */
class Latch {
  open: () => void = () => undefined;
  readonly opened = new Promise<void>((resolve) => (this.open = resolve));
}

describe('aggregationRunWorkflow', () => {
  let runner: WorkflowRunner;

  beforeAll(async () => {
    runner = await WorkflowRunner.start();
  });

  afterAll(() => runner.stop());

  const run = (
    requests: AggregateSignaturesInput[],
    activities: Activities,
    check: (handle: Handle) => Promise<void>,
    collectorQueue?: string,
  ): Promise<void> =>
    runner.run<typeof aggregationRunWorkflow>(
      activities,
      (client, place) =>
        client.workflow.start<typeof aggregationRunWorkflow>('aggregationRunWorkflow', {
          ...place,
          args: [{ requests, ...(collectorQueue === undefined ? {} : { collectorQueue }) }],
        }),
      check,
    );

  it('records what the process has collected, in one workflow task', async () => {
    const [one, other] = [makeInput('one'), makeInput('other')];
    await run([one, other], { aggregateRequests: allSigned }, async (handle) => {
      expect(await handle.result()).toEqual({ outcomes: [signed(one), signed(other)] });
      const { events } = await handle.fetchHistory();
      const started = (events ?? []).filter(({ eventType }) => Number(eventType) === WORKFLOW_TASK_STARTED);
      expect(started).toHaveLength(1);
      await keepHistory('signed', handle);
    });
  });

  it('takes further requests while it is at work', async () => {
    const [first, second, third] = ['first', 'second', 'third'].map(makeInput);
    if (first === undefined || second === undefined || third === undefined) throw new Error('three');
    const asked: string[][] = [];
    const [begun, signalled] = [new Latch(), new Latch()];
    const aggregateRequests = async (input: AggregateRequestsInput) => {
      asked.push(input.requests.map(({ requestDigest }) => requestDigest));
      begun.open();
      await signalled.opened;
      return { ...(await allSigned(input)), isMoreComing: asked.length === 1 };
    };
    await run([first], { aggregateRequests }, async (handle) => {
      await begun.opened;
      await handle.signal(ADD_REQUESTS, [second]);
      await handle.signal(ADD_REQUESTS, [third]);
      signalled.open();
      expect(await handle.result()).toEqual({ outcomes: [first, second, third].map(signed) });
      await keepHistory('further-requests', handle);
    });
    expect(asked).toEqual([[first.requestDigest], [second.requestDigest, third.requestDigest]]);
  });

  it('lets a workflow of its own go on with what is unfinished, also when that is there already', async () => {
    const [one, other, done] = [makeInput('one'), makeInput('other'), makeInput('done')];
    one.priorityKey = LOWEST_PRIORITY;
    const tried: AggregateSignaturesInput[] = [];
    // The other's workflow is there before the run wants to start it, and still there afterwards.
    const [isThere, hasEnded] = [new Latch(), new Latch()];
    const activities: Activities = {
      aggregateRequests: async () => {
        await isThere.opened;
        return {
          outcomes: [
            { requestDigest: one.requestDigest, status: 'unfinished' },
            { requestDigest: other.requestDigest, status: 'unfinished' },
            signed(done),
          ],
          isMoreComing: false,
        };
      },
      resolveValidatorSet: async (input) => {
        tried.push(input);
        return validatorSet;
      },
      collectSignatures: async () => collected,
      saveAggregatedSignature: () => hasEnded.opened,
    };
    await run([one, other, done], activities, async (handle) => {
      const { taskQueue } = await handle.describe();
      // As another run with an equal request does.
      await runner.client.workflow.start('aggregateSignaturesWorkflow', {
        workflowId: makeAggregateSignaturesWorkflowId(other),
        taskQueue,
        args: [other],
        workflowIdConflictPolicy: 'USE_EXISTING',
      });
      isThere.open();
      await handle.result();
      hasEnded.open();
      for (const input of [one, other]) {
        const child = runner.client.workflow.getHandle(makeAggregateSignaturesWorkflowId(input));
        expect(await child.result()).toMatchObject({ signedMessage: '00' });
      }
      // So that workers take those of all callers in turn, and what nobody waits for last.
      const alone = runner.client.workflow.getHandle(makeAggregateSignaturesWorkflowId(one));
      const { raw } = await alone.describe();
      expect(raw.workflowExecutionInfo?.priority).toMatchObject({ fairnessKey: one.caller, priorityKey: 5 });
      await keepHistory('unfinished', handle);
    });
    expect(tried.map(({ requestDigest }) => requestDigest).sort()).toEqual(
      [one.requestDigest, other.requestDigest].sort(),
    );
  });

  it('ends without waiting for the store, and lets a workflow of its own store what it could not', async () => {
    const input = makeInput('unsaved');
    const { network, requestDigest, sourceBlockchainId } = input;
    const save = { network, requestDigest, sourceBlockchainId, validatorSet, collected, isAwaited: true };
    const outcome: RequestOutcome = { requestDigest, status: 'unsaved', save };
    const saved: SaveAggregatedSignatureInput[] = [];
    let isStoreAway = true;
    const activities: Activities = {
      aggregateRequests: async () => ({ outcomes: [outcome], isMoreComing: false }),
      saveAggregatedSignature: async (given) => {
        if (isStoreAway) throw new Error('connection terminated');
        saved.push(given);
      },
    };
    await run([input], activities, async (handle) => {
      expect(await handle.result()).toEqual({ outcomes: [outcome] });
      isStoreAway = false;
      const own = runner.client.workflow.getHandle(makeAggregateSignaturesWorkflowId(input));
      expect(await own.result()).toEqual(collected);
      const { typedSearchAttributes, memo } = await own.describe();
      expect(typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value])).toEqual(
        expect.arrayContaining([
          ['NdsNetwork', 'fuji'],
          ['NdsSourceBlockchainId', sourceBlockchainId],
          ['NdsQuorumPercentage', 67],
        ]),
      );
      expect(memo).toEqual({ requestId: input.requestId });
      await keepHistory('unsaved', handle);
    });
    expect(saved).toEqual([save]);
  });

  describe('whose workflow tasks go to another process than the one that collects', () => {
    const elsewhere = async (input: AggregateRequestsInput) =>
      input.collectorQueue === undefined ? allSigned(input) : null;

    it('asks the process that collects', async () => {
      const [input, later] = [makeInput('here'), makeInput('later')];
      const collectorQueue = `collector-${randomUUID()}`;
      const asked: AggregateRequestsInput[] = [];
      const signalled = new Latch();
      const collector = await runner.startActivityWorker(collectorQueue, {
        aggregateRequests: async (given: AggregateRequestsInput) => {
          asked.push(given);
          await signalled.opened;
          return { ...(await allSigned(given)), isMoreComing: asked.length === 1 };
        },
      });
      let isLate = false;
      const check = async (handle: Handle) => {
        await handle.signal(ADD_REQUESTS, [later]);
        signalled.open();
        expect(await handle.result()).toEqual({ outcomes: [signed(input), signed(later)] });
        const { events } = await handle.fetchHistory();
        isLate = events?.some(({ eventType }) => Number(eventType) === ACTIVITY_TASK_TIMED_OUT) === true;
        await keepHistory('elsewhere', handle);
      };
      try {
        await run([input], { aggregateRequests: elsewhere }, check, collectorQueue);
      } finally {
        await collector.stop();
      }
      // A busy server may be so late with the activity that the process counts as gone.
      const expected = isLate ? expect.any(Array) : [input, later];
      expect(asked.flatMap(({ requests }) => requests)).toEqual(expected);
    });

    it('does without that process once it is gone', async () => {
      const input = makeInput('left behind');
      const check = async (handle: Handle) => {
        expect(await handle.result()).toEqual({ outcomes: [signed(input)] });
        await keepHistory('collector-gone', handle);
      };
      await run([input], { aggregateRequests: elsewhere }, check, `nobody-${randomUUID()}`);
    });
  });

  it('fails as its only request did, and only then', async () => {
    const [failing, other] = [makeInput('failing'), makeInput('other')];
    const failed: RequestOutcome = {
      requestDigest: failing.requestDigest,
      status: 'failed',
      type: 'INSUFFICIENT_SIGNATURES',
      message: '60 %',
    };
    const aggregateRequests = async ({ requests }: AggregateRequestsInput) => ({
      outcomes: [failed, ...requests.slice(1).map(signed)],
      isMoreComing: false,
    });
    await run([failing], { aggregateRequests }, async (handle) => {
      expect(await failureOf(handle)).toMatchObject({ type: 'INSUFFICIENT_SIGNATURES', message: '60 %' });
      await keepHistory('failed', handle);
    });
    await run([failing, other], { aggregateRequests }, async (handle) => {
      expect(await handle.result()).toEqual({ outcomes: [failed, signed(other)] });
    });
  });

  it('gives every request a workflow of its own when its activity breaks', async () => {
    const input = makeInput('broken');
    const activities: Activities = {
      aggregateRequests: async () => {
        throw new Error('broken');
      },
      resolveValidatorSet: async () => validatorSet,
      collectSignatures: async () => collected,
      saveAggregatedSignature: async () => undefined,
    };
    await run([input], activities, async (handle) => {
      expect(await handle.result()).toEqual({
        outcomes: [{ requestDigest: input.requestDigest, requestId: input.requestId, status: 'unfinished' }],
      });
      const child = runner.client.workflow.getHandle(makeAggregateSignaturesWorkflowId(input));
      expect(await child.result()).toMatchObject({ signedMessage: '00' });
      await keepHistory('activity-broken', handle);
    });
  });

  it('ends when a request that was announced never comes', async () => {
    const input = makeInput('lonely');
    const aggregateRequests = async (given: AggregateRequestsInput) => ({
      ...(await allSigned(given)),
      isMoreComing: true,
    });
    await run([input], { aggregateRequests }, async (handle) => {
      expect(await handle.result()).toEqual({ outcomes: [signed(input)] });
      await keepHistory('never-came', handle);
    });
  });
});
