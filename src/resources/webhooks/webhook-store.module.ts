import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ServiceSecretsModule } from '../../platform/secrets/service-secrets.module.js';
import { Webhook, WebhookAddress, WebhookMessage, WebhookOutboxEntry } from './webhook.entities.js';
import { WebhookRepository } from './webhook.repository.js';

/** The part of webhooks that the API and the workers share. */
@Module({
  imports: [
    TypeOrmModule.forFeature([Webhook, WebhookAddress, WebhookMessage, WebhookOutboxEntry]),
    ServiceSecretsModule,
  ],
  providers: [WebhookRepository],
  exports: [WebhookRepository, ServiceSecretsModule],
})
export class WebhookStoreModule {}
