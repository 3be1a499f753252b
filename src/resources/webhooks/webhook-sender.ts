import { Injectable } from '@nestjs/common';
import type { DeliveredWebhook, DeliverWebhookInput } from '../../../workflows/contracts/deliver-webhook.js';
import { HostBusyError } from '../../platform/public-http/host-turns.js';
import { PublicHttpClient } from '../../platform/public-http/public-http-client.js';
import { Config } from '../../platform/config/config.module.js';
import { Metrics } from '../../platform/metrics/metrics.js';
import { PublicHttpError } from '../../platform/public-http/public-http.error.js';
import { ServiceSecrets } from '../../platform/secrets/service-secrets.js';
import { signatureHeaders, webhookSecret } from './webhook-signature.js';
import { WebhookRepository } from './webhook.repository.js';

const CONNECT_TIMEOUT_MS = 5_000;
const ANSWER_TIMEOUT_MS = 15_000;
/** Receivers that answer in time have dozens of calls in it; behind one that does not, the calls of others would wait. */
const MAX_TURN_WAIT_MS = 1_000;

/** The receiver wants no more of it. */
export const GONE = 410;

/** Names the key that all secrets of webhooks follow from. */
export const WEBHOOKS_SECRET = 'webhooks';

/** One attempt to call a webhook. */
@Injectable()
export class WebhookSender {
  private readonly client: PublicHttpClient;
  private readonly calls;

  constructor(
    private readonly webhooks: WebhookRepository,
    private readonly secrets: ServiceSecrets,
    metrics: Metrics,
    { env }: Config,
  ) {
    this.calls = metrics.counter({
      name: 'nds_webhook_calls_total',
      help: 'Attempts to call webhooks: delivered, gone (the receiver wants no more), removed before it was called, or the error code',
      labels: ['outcome'],
    });
    this.client = new PublicHttpClient({
      trustedHosts: env.WEBHOOK_TRUSTED_HOSTS,
      maxBytes: 0,
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      totalTimeoutMs: ANSWER_TIMEOUT_MS,
      maxTurnWaitMs: MAX_TURN_WAIT_MS,
    });
  }

  /** Throws PublicHttpError for any answer but 2xx and 410; HostBusyError. */
  async send(input: DeliverWebhookInput, signal: AbortSignal): Promise<DeliveredWebhook> {
    try {
      const delivered = await this.call(input, signal);
      this.calls.inc({ outcome: outcomeOf(delivered) });
      return delivered;
    } catch (error) {
      this.calls.inc({ outcome: codeOf(error) });
      throw error;
    }
  }

  private async call(
    { webhookId, eventId, event }: DeliverWebhookInput,
    signal: AbortSignal,
  ): Promise<DeliveredWebhook> {
    const webhook = await this.webhooks.find(webhookId);
    if (webhook === undefined) return { status: null };
    const body = JSON.stringify(event);
    const secret = webhookSecret(await this.secrets.get(WEBHOOKS_SECRET), webhookId);
    const seconds = Math.floor(Date.now() / 1000);
    const headers = signatureHeaders(secret, { id: eventId, seconds, body });
    const content = { sender: webhook.orgId, headers, body };
    return { status: await this.client.post(new URL(webhook.url), content, signal) };
  }
}

function outcomeOf({ status }: DeliveredWebhook): string {
  if (status === null) return 'removed';
  return status === GONE ? 'gone' : 'delivered';
}

function codeOf(error: unknown): string {
  if (error instanceof PublicHttpError) return error.failure.toLowerCase();
  return error instanceof HostBusyError ? 'host_busy' : 'unexpected';
}
