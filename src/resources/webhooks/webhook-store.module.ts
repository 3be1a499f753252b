import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ServiceSecretsModule } from '../../platform/secrets/service-secrets.module.js';
import { Webhook, WebhookOutboxEntry } from './webhook.entities.js';
import { WebhookRepository } from './webhook.repository.js';

/** What the API and the workers share of webhooks. */
@Module({
  imports: [TypeOrmModule.forFeature([Webhook, WebhookOutboxEntry]), ServiceSecretsModule],
  providers: [WebhookRepository],
  exports: [WebhookRepository, ServiceSecretsModule],
})
export class WebhookStoreModule {}
