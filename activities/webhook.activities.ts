import { Injectable } from '@nestjs/common';
import { activityInfo, cancellationSignal } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { HostBusyError } from '../src/platform/public-http/host-turns.js';
import { PublicHttpError } from '../src/platform/public-http/public-http.error.js';
import { GONE, WebhookSender } from '../src/resources/webhooks/webhook-sender.js';
import type { WebhookActivities as Contract } from '../workflows/contracts/activities.js';
import {
  type DeliveredWebhook,
  type DeliverWebhookInput,
  WEBHOOK_GONE,
} from '../workflows/contracts/deliver-webhook.js';

@Injectable()
export class WebhookActivities implements Contract {
  constructor(private readonly sender: WebhookSender) {}

  async deliverWebhook(input: DeliverWebhookInput): Promise<DeliveredWebhook> {
    const delivered = await this.sender.send(input, cancellationSignal()).catch(rethrow);
    if (delivered.status === GONE) throw ApplicationFailure.nonRetryable('HTTP 410', WEBHOOK_GONE);
    return delivered;
  }
}

/** How much longer than after the attempt before many wait for the same receiver, and for how long at most. */
const BUSY_STEP_MS = 2_000;
const MAX_BUSY_MS = 60_000;

/** A receiver that throttles is called again when it wants to be; whoever has only waited for others in vain, soon and not all at once. */
function rethrow(error: unknown): never {
  if (error instanceof HostBusyError) {
    const longestMs = Math.min(MAX_BUSY_MS, BUSY_STEP_MS * activityInfo().attempt);
    throw retryIn(longestMs * (0.5 + Math.random() / 2), error.name, error);
  }
  if (!(error instanceof PublicHttpError) || error.retryAfterMs === undefined) throw error;
  throw retryIn(error.retryAfterMs, error.failure, error);
}

function retryIn(delayMs: number, type: string, cause: Error): ApplicationFailure {
  return ApplicationFailure.create({
    type,
    message: cause.message,
    nextRetryDelay: Math.ceil(delayMs),
    cause,
  });
}
