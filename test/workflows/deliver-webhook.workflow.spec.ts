import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { WebhookActivities } from '../../workflows/contracts/activities.js';
import { type DeliverWebhookInput, WEBHOOK_GONE } from '../../workflows/contracts/deliver-webhook.js';
import type { deliverWebhookWorkflow } from '../../workflows/deliver-webhook.workflow.js';
import { keepHistory } from '../support/harness/histories.js';
import { failureOf } from '../support/harness/workflow-failure.js';
import { WorkflowRunner } from '../support/harness/workflow-runner.js';

const INPUT: DeliverWebhookInput = {
  webhookId: 'b0f7a5b4-3a3f-4a0b-9d0e-6f6c1c5c8f31',
  eventId: '0e5a1c52-5b1c-4f6e-9f1e-8a3c1f6d2b7a',
  event: {
    type: 'operation.finished',
    timestamp: '2026-11-26T12:00:00Z',
    data: {
      operationId: '0e5a1c52-5b1c-4f6e-9f1e-8a3c1f6d2b7a',
      operationType: 'TRANSACTION_EXPORT_EVM',
      operationStatus: 'COMPLETED',
    },
  },
  retryMs: 20,
};

describe('deliverWebhookWorkflow', () => {
  let runner: WorkflowRunner;

  beforeAll(async () => {
    runner = await WorkflowRunner.start();
  });

  afterAll(() => runner.stop());

  const run = (
    deliverWebhook: WebhookActivities['deliverWebhook'],
    check: (handle: WorkflowHandle<typeof deliverWebhookWorkflow>) => Promise<void>,
  ): Promise<void> =>
    runner.run<typeof deliverWebhookWorkflow>(
      { deliverWebhook },
      (client, place) =>
        client.workflow.start<typeof deliverWebhookWorkflow>('deliverWebhookWorkflow', {
          ...place,
          args: [INPUT],
        }),
      check,
    );

  it('tries again until the receiver takes the event', async () => {
    const inputs: DeliverWebhookInput[] = [];
    const deliver = (input: DeliverWebhookInput) => {
      inputs.push(input);
      return inputs.length < 4 ? Promise.reject(new Error('HTTP 500')) : Promise.resolve({ status: 204 });
    };
    await run(deliver, async (handle) => {
      expect(await handle.result()).toEqual({ status: 204 });
      expect(inputs).toEqual([INPUT, INPUT, INPUT, INPUT]);
      await keepHistory('receiver-away-for-a-moment', handle);
    });
  });

  it('ends with a webhook that was removed', async () => {
    await run(
      () => Promise.resolve({ status: null }),
      async (handle) => {
        expect(await handle.result()).toEqual({ status: null });
        await keepHistory('removed', handle);
      },
    );
  });

  it('fails at once when the receiver wants no more', async () => {
    let attempts = 0;
    const deliver = () => {
      attempts += 1;
      return Promise.reject(ApplicationFailure.nonRetryable('HTTP 410', WEBHOOK_GONE));
    };
    await run(deliver, async (handle) => {
      expect(await failureOf(handle)).toMatchObject({ type: WEBHOOK_GONE });
      expect(attempts).toBe(1);
      await keepHistory('gone', handle);
    });
  });
});
