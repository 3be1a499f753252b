import { ApiProperty } from '@nestjs/swagger';
import { text, unixSeconds } from '../../../platform/http/openapi/fields.js';

export class WebhookResponse {
  @ApiProperty(text('Id of the webhook.', 'b0f7a5b4-3a3f-4a0b-9d0e-6f6c1c5c8f31'))
  webhookId: string;

  @ApiProperty(text('Where it is called.', 'https://wallet.example/hooks/exports'))
  url: string;

  @ApiProperty(
    text(
      'Signs its requests, as the Standard Webhooks specification has it; known to your organisation alone.',
      'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDuMJLPXlPTUo=',
    ),
  )
  secret: string;

  @ApiProperty(unixSeconds('When it was added.', 1_795_307_538))
  createdAt: number;
}

export class ListWebhooksResponse {
  @ApiProperty({ type: [WebhookResponse], description: 'All of the organisation, the oldest first.' })
  webhooks: WebhookResponse[];
}
