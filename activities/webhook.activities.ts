import { Injectable } from '@nestjs/common';
import { cancellationSignal } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
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

/** A receiver that throttles is called again when it wants to be. */
function rethrow(error: unknown): never {
  if (!(error instanceof PublicHttpError) || error.retryAfterMs === undefined) throw error;
  const { failure: type, message } = error;
  const nextRetryDelay = Math.ceil(error.retryAfterMs);
  throw ApplicationFailure.create({ type, message, nextRetryDelay, cause: error });
}
