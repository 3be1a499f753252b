import { Module } from '@nestjs/common';
import { MetricsModule } from '../../platform/metrics/metrics.module.js';
import { TemporalModule } from '../../platform/temporal/temporal.module.js';
import { WebhookOutbox } from './webhook-outbox.js';
import { WebhookSender } from './webhook-sender.js';
import { WebhookStoreModule } from './webhook-store.module.js';

/** Of workers. */
@Module({
  imports: [WebhookStoreModule, MetricsModule, TemporalModule],
  providers: [WebhookOutbox, WebhookSender],
  exports: [WebhookSender],
})
export class WebhookDeliveryModule {}
