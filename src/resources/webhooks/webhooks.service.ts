import { Injectable } from '@nestjs/common';
import { getAddress } from 'viem/utils';
import { type Caller, isOrganisation } from '../../access/keys/caller.js';
import { ApiError, badRequest } from '../../platform/http/errors/api-error.js';
import { ServiceSecrets } from '../../platform/secrets/service-secrets.js';
import type { AddWebhookRequest } from './dto/add-webhook.request.js';
import type { ListWebhooksResponse, WebhookResponse } from './dto/webhook.response.js';
import { type KnownWebhook, MAX_WEBHOOKS, WebhookRepository } from './webhook.repository.js';
import { WEBHOOKS_SECRET } from './webhook-sender.js';
import { webhookSecret } from './webhook-signature.js';

@Injectable()
export class WebhooksService {
  constructor(
    private readonly webhooks: WebhookRepository,
    private readonly secrets: ServiceSecrets,
  ) {}

  async add(request: AddWebhookRequest, caller: Caller | undefined): Promise<WebhookResponse> {
    const webhook = await this.webhooks.add(organisationOf(caller), request);
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
