import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { Config } from '../../src/platform/config/config.module.js';
import { parseEnv } from '../../src/platform/config/env.schema.js';
import { Metrics } from '../../src/platform/metrics/metrics.js';
import { ServiceSecret } from '../../src/platform/secrets/service-secret.entity.js';
import { ServiceSecrets } from '../../src/platform/secrets/service-secrets.js';
import { Webhook } from '../../src/resources/webhooks/webhook.entities.js';
import { WebhookRepository } from '../../src/resources/webhooks/webhook.repository.js';
import { WebhookSender } from '../../src/resources/webhooks/webhook-sender.js';
import { onCleanup } from '../support/harness/cleanup.js';
import { createMigratedDatabase } from '../support/harness/database.js';
import { WebhookReceiver } from '../support/http/webhook-receiver.js';

const EVENT = {
  type: 'operation.finished',
  timestamp: '2026-11-26T00:00:00.000Z',
  data: {
    operationId: randomUUID(),
    operationType: 'TRANSACTION_EXPORT_EVM',
    operationStatus: 'COMPLETED',
  },
} as const;

describe(WebhookSender.name, () => {
  let dataSource: DataSource;
  let receiver: WebhookReceiver;
  let metrics: Metrics;
  let sender: WebhookSender;
  let webhooks: WebhookRepository;

  beforeAll(async () => {
    receiver = await WebhookReceiver.start();
    onCleanup(() => receiver.stop());
    dataSource = await createMigratedDatabase();
    await dataSource.query(`INSERT INTO api_organisations (org_id, created_at) VALUES ('ours', 0)`);
    const env = parseEnv({ DATABASE_URL: 'postgres://unused', WEBHOOK_TRUSTED_HOSTS: receiver.host });
    webhooks = new WebhookRepository(dataSource.getRepository(Webhook));
    const secrets = new ServiceSecrets(dataSource.getRepository(ServiceSecret));
    metrics = new Metrics();
    sender = new WebhookSender(webhooks, secrets, metrics, new Config(env));
  });

  const send = (webhookId: string): Promise<unknown> =>
    sender
      .send({ webhookId, eventId: randomUUID(), event: EVENT, retryMs: 1 }, new AbortController().signal)
      .catch((error: unknown) => error);

  it('counts its calls by how they end', async () => {
    const add = async (path: string, status: number): Promise<string> => {
      receiver.statuses.set(path, status);
      const settings = {
        url: receiver.urlOf(path),
        eventTypes: ['operation.finished' as const],
        addresses: [],
      };
      return (await webhooks.add('ours', settings))?.webhookId ?? '';
    };
    await send(await add('/good', 204));
    await send(await add('/good', 200));
    await send(await add('/gone', 410));
    await send(await add('/bad', 500));
    await send(randomUUID());
    const lines = (await metrics.text())
      .split('\n')
      .filter((line) => line.startsWith('nds_webhook_calls_total'));
    expect(lines.sort()).toEqual([
      'nds_webhook_calls_total{outcome="delivered"} 2',
      'nds_webhook_calls_total{outcome="gone"} 1',
      'nds_webhook_calls_total{outcome="removed"} 1',
      'nds_webhook_calls_total{outcome="unreachable"} 1',
    ]);
  });
});
