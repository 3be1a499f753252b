import { Injectable } from '@nestjs/common';
import { getAddress } from 'viem/utils';
import { type Caller, isOrganisation } from '../../access/keys/caller.js';
import { Config } from '../../platform/config/config.module.js';
import { ApiError, badRequest } from '../../platform/http/errors/api-error.js';
import { checkUrl } from '../../platform/public-http/public-http-client.js';
import { PublicHttpError } from '../../platform/public-http/public-http.error.js';
import { ServiceSecrets } from '../../platform/secrets/service-secrets.js';
import type { AddWebhookRequest } from './dto/add-webhook.request.js';
import type { ListWebhooksResponse, WebhookResponse } from './dto/webhook.response.js';
import { type KnownWebhook, MAX_WEBHOOKS, WebhookRepository } from './webhook.repository.js';
import { WEBHOOKS_SECRET } from './webhook-sender.js';
import { webhookSecret } from './webhook-signature.js';

@Injectable()
export class WebhooksService {
  private readonly trustedHosts: ReadonlySet<string>;

  constructor(
    private readonly webhooks: WebhookRepository,
    private readonly secrets: ServiceSecrets,
    { env }: Config,
  ) {
    this.trustedHosts = new Set(env.WEBHOOK_TRUSTED_HOSTS);
  }

  async add(request: AddWebhookRequest, caller: Caller | undefined): Promise<WebhookResponse> {
    const orgId = organisationOf(caller);
    this.refuseUncallable(request.url);
    const webhook = await this.webhooks.add(orgId, request);
    if (webhook === undefined) {
      throw badRequest(`there are ${MAX_WEBHOOKS} webhooks of your organisation, remove one first`);
    }
    return this.toResponse(webhook);
  }

  async list(caller: Caller | undefined): Promise<ListWebhooksResponse> {
    const webhooks = await this.webhooks.list(organisationOf(caller));
    return { webhooks: await Promise.all(webhooks.map((webhook) => this.toResponse(webhook))) };
  }

  async remove(webhookId: string, caller: Caller | undefined): Promise<void> {
    const isRemoved = await this.webhooks.remove(organisationOf(caller), webhookId);
    if (!isRemoved) throw new ApiError(404, `webhook ${webhookId} is not one of your organisation's`);
  }

  /** Throws the 400 of a URL that no worker would ever call: nobody would hear of it. */
  private refuseUncallable(url: string): void {
    try {
      checkUrl(new URL(url), this.trustedHosts);
    } catch (error) {
      if (!(error instanceof PublicHttpError)) throw error;
      throw badRequest(`url: would never be called: ${error.message}`, { cause: error });
    }
  }

  private async toResponse({
    webhookId,
    url,
    createdAt,
    ...webhook
  }: KnownWebhook): Promise<WebhookResponse> {
    return {
      webhookId,
      url,
      eventTypes: [...webhook.eventTypes],
      addresses: webhook.addresses.map((address) => getAddress(address)),
      secret: webhookSecret(await this.secrets.get(WEBHOOKS_SECRET), webhookId),
      createdAt,
      droppedEventCount: webhook.droppedCount,
    };
  }
}

/** Throws a 401 without a key: an address may be anybody's tomorrow. */
function organisationOf(caller: Caller | undefined): string {
  if (caller === undefined || !isOrganisation(caller.owner)) {
    throw new ApiError(401, 'webhooks belong to organisations: send the key of yours');
  }
  return caller.orgId;
}
