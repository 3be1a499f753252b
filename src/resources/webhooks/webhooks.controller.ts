import { Controller, Delete, Get, HttpCode, Post } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiSecurity,
  ApiTags,
} from '@nestjs/swagger';
import type { Caller } from '../../access/keys/caller.js';
import { CurrentCaller } from '../../access/keys/current-caller.decorator.js';
import { NoQuery } from '../../platform/http/schemas/no-query.decorator.js';
import { Private } from '../../platform/http/schemas/private.decorator.js';
import { BodyOf, PathOf } from '../../platform/http/schemas/request.decorators.js';
import {
  type AddWebhookRequest,
  AddWebhookRequestSchema,
  type WebhookParameter,
  WebhookParameterSchema,
} from './dto/add-webhook.request.js';
import { ListWebhooksResponse, WebhookResponse } from './dto/webhook.response.js';
import { WebhooksService } from './webhooks.service.js';

@ApiTags('operations')
@ApiSecurity('apiKey')
@Controller({ path: 'webhooks', version: '1' })
export class WebhooksController {
  constructor(private readonly webhooks: WebhooksService) {}

  @Post()
  @NoQuery()
  @Private()
  @ApiOperation({
    operationId: 'addWebhook',
    summary: 'Add webhook',
    description:
      'From then on the URL is called with a POST, signed as the Standard Webhooks specification has it. When an operation of your organisation ends: `{ type: "operation.finished", timestamp, data: { operationId, operationType, operationStatus } }`. When an interchain message of one of the `addresses` is delivered: `{ type: "message.delivered", timestamp, data: { network, messageId, icmContractAddress, sourceBlockchainId, destinationBlockchainId, sourceEvmChainId, destinationEvmChainId, messageNonce, from, to, addresses, destinationTransaction } }`, with the fields of `GET /v1/icm/messages/{messageId}`, which has the rest, and those of the `addresses` that the message concerns. Any status but 2xx is tried again for a day; 410 ends it. The same event may come twice, with the same `webhook-id`. Adding a URL again replaces `eventTypes` and `addresses`, and keeps id and secret.',
  })
  @ApiCreatedResponse({ type: WebhookResponse, description: 'The webhook with its secret.' })
  add(
    @BodyOf(AddWebhookRequestSchema) request: AddWebhookRequest,
    @CurrentCaller() caller: Caller | undefined,
  ): Promise<WebhookResponse> {
    return this.webhooks.add(request, caller);
  }

  @Get()
  @NoQuery()
  @Private()
  @ApiOperation({
    operationId: 'listWebhooks',
    summary: 'List webhooks',
    description: 'Those of your organisation.',
  })
  @ApiOkResponse({ type: ListWebhooksResponse, description: 'All of them.' })
  list(@CurrentCaller() caller: Caller | undefined): Promise<ListWebhooksResponse> {
    return this.webhooks.list(caller);
  }

  @Delete(':webhookId')
  @NoQuery()
  @HttpCode(204)
  @ApiOperation({
    operationId: 'removeWebhook',
    summary: 'Remove webhook',
    description: 'Events that were not delivered yet are dropped.',
  })
  @ApiNoContentResponse({ description: 'It is called no more.' })
  async remove(
    @PathOf(WebhookParameterSchema) { webhookId }: WebhookParameter,
    @CurrentCaller() caller: Caller | undefined,
  ): Promise<void> {
    await this.webhooks.remove(webhookId, caller);
  }
}
