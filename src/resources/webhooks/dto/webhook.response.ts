import { ApiProperty } from '@nestjs/swagger';
import {
  WEBHOOK_EVENT_TYPES,
  type WebhookEventType,
} from '../../../../workflows/contracts/deliver-webhook.js';
import { EXAMPLES } from '../../../platform/http/openapi/examples.js';
import { count, text, unixSeconds } from '../../../platform/http/openapi/fields.js';

export class WebhookResponse {
  @ApiProperty(text('Id of the webhook.', 'b0f7a5b4-3a3f-4a0b-9d0e-6f6c1c5c8f31'))
  webhookId!: string;

  @ApiProperty(text('Where it is called.', 'https://wallet.example/hooks/exports'))
  url!: string;

  @ApiProperty({
    enum: WEBHOOK_EVENT_TYPES,
    isArray: true,
    description: 'The events that it is called for.',
    example: ['operation.finished'],
  })
  eventTypes!: WebhookEventType[];

  @ApiProperty({
    type: [String],
    description: 'Whose messages are reported. EIP-55.',
    example: [EXAMPLES.evmAddress],
  })
  addresses!: string[];

  @ApiProperty(
    text(
      'Signs its requests, as the Standard Webhooks specification has it; known to your organisation alone.',
      'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDuMJLPXlPTUo=',
    ),
  )
  secret!: string;

  @ApiProperty(unixSeconds('When it was added.', 1_795_307_538))
  createdAt!: number;

  @ApiProperty(count('Events about messages that it was not called for, beyond the 1,000 of a day (UTC).', 0))
  droppedEventCount!: number;
}

export class ListWebhooksResponse {
  @ApiProperty({ type: [WebhookResponse], description: 'All of the organisation, the oldest first.' })
  webhooks!: WebhookResponse[];
}
