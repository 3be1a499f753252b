import { Injectable } from '@nestjs/common';
import type { DeliveredWebhook, DeliverWebhookInput } from '../../../workflows/contracts/deliver-webhook.js';
import { PublicHttpClient } from '../../platform/public-http/public-http-client.js';
import { Config } from '../../platform/config/config.module.js';
import { ServiceSecrets } from '../../platform/secrets/service-secrets.js';
import { signatureHeaders, webhookSecret } from './webhook-signature.js';
import { WebhookRepository } from './webhook.repository.js';

const CONNECT_TIMEOUT_MS = 5_000;
const ANSWER_TIMEOUT_MS = 15_000;
/** Receivers that answer in time have dozens of calls in it; behind one that does not, the calls of others would wait. */
const MAX_TURN_WAIT_MS = 1_000;

/** Names the key that all secrets of webhooks follow from. */
export const WEBHOOKS_SECRET = 'webhooks';

/** One attempt to call a webhook. */
@Injectable()
export class WebhookSender {
  private readonly client: PublicHttpClient;

  constructor(
    private readonly webhooks: WebhookRepository,
    private readonly secrets: ServiceSecrets,
    { env }: Config,
  ) {
    this.client = new PublicHttpClient({
      trustedHosts: env.WEBHOOK_TRUSTED_HOSTS,
      maxBytes: 0,
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      totalTimeoutMs: ANSWER_TIMEOUT_MS,
      maxTurnWaitMs: MAX_TURN_WAIT_MS,
    });
  }

  /** Throws PublicHttpError for any answer but 2xx and 410. */
  async send(
    { webhookId, eventId, event }: DeliverWebhookInput,
    signal: AbortSignal,
  ): Promise<DeliveredWebhook> {
    const webhook = await this.webhooks.find(webhookId);
    if (webhook === undefined) return { status: null };
    const body = JSON.stringify(event);
    const secret = webhookSecret(await this.secrets.get(WEBHOOKS_SECRET), webhookId);
    const seconds = Math.floor(Date.now() / 1000);
    const headers = signatureHeaders(secret, { id: eventId, seconds, body });
    return { status: await this.client.post(new URL(webhook.url), { headers, body }, signal) };
  }
}
