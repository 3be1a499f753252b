import { proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { WebhookActivities } from './contracts/activities.js';
import {
  type DeliveredWebhook,
  type DeliverWebhookInput,
  WEBHOOK_GONE,
} from './contracts/deliver-webhook.js';

/** A receiver that is down for a night gets its events in the morning. */
export async function deliverWebhookWorkflow(input: DeliverWebhookInput): Promise<DeliveredWebhook> {
  const { deliverWebhook } = proxyActivities<WebhookActivities>({
    // Longer than connecting, the receiver's time and its host's turn together.
    startToCloseTimeout: '30 seconds',
    scheduleToCloseTimeout: '1 day',
    retry: {
      initialInterval: input.retryMs,
      backoffCoefficient: 2,
      maximumInterval: '1 hour',
      nonRetryableErrorTypes: [WEBHOOK_GONE],
    },
  });
  const delivered = await deliverWebhook(input);
  setCurrentDetails(delivered.status === null ? '**removed**' : `**${delivered.status}**`);
  return delivered;
}
