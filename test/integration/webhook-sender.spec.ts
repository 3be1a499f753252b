import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { WebhookActivities } from '../../activities/webhook.activities.js';
import { Config } from '../../src/platform/config/config.module.js';
import { parseEnv } from '../../src/platform/config/env.schema.js';
import { Metrics } from '../../src/platform/metrics/metrics.js';
import { HostBusyError } from '../../src/platform/public-http/host-turns.js';
import { ServiceSecret } from '../../src/platform/secrets/service-secret.entity.js';
import { ServiceSecrets } from '../../src/platform/secrets/service-secrets.js';
import { Webhook } from '../../src/resources/webhooks/webhook.entities.js';
import { WebhookRepository } from '../../src/resources/webhooks/webhook.repository.js';
import { WebhookSender } from '../../src/resources/webhooks/webhook-sender.js';
import type { DeliveredWebhook, DeliverWebhookInput } from '../../workflows/contracts/deliver-webhook.js';
import { onCleanup } from '../support/harness/cleanup.js';
import { createMigratedDatabase } from '../support/harness/database.js';
import { eventually } from '../support/harness/eventually.js';
import { NO_ANSWER, RETRY_AFTER_SECONDS, WebhookReceiver } from '../support/http/webhook-receiver.js';

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
    await dataSource.query(
      `INSERT INTO api_organisations (org_id, created_at) VALUES ('ours', 0), ('theirs', 0), ('busy', 0)`,
    );
    const env = parseEnv({ DATABASE_URL: 'postgres://unused', WEBHOOK_TRUSTED_HOSTS: receiver.host });
    webhooks = new WebhookRepository(dataSource.getRepository(Webhook));
    const secrets = new ServiceSecrets(dataSource.getRepository(ServiceSecret));
    metrics = new Metrics();
    sender = new WebhookSender(webhooks, secrets, metrics, new Config(env));
  });

  const send = (webhookId: string, attempt = 1): Promise<unknown> => {
    const activities = new WebhookActivities(sender);
    const run = activities.deliverWebhook.bind(activities);
    const input = { webhookId, eventId: randomUUID(), event: EVENT, retryMs: 1 };
    return new MockActivityEnvironment({ attempt })
      .run<[DeliverWebhookInput], DeliveredWebhook, typeof run>(run, input)
      .catch((error: unknown) => error);
  };

  const add = async (path: string, status: number, orgId = 'ours'): Promise<string> => {
    receiver.statuses.set(path, status);
    const settings = {
      url: receiver.urlOf(path),
      eventTypes: ['operation.finished' as const],
      addresses: [],
    };
    return (await webhooks.add(orgId, settings))?.webhookId ?? '';
  };

  it('counts its calls by how they end', async () => {
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

  it('leaves a receiver alone that throttles, and goes on with those of others at the same host', async () => {
    const throttling = await add('/busy', 429);
    const neighbour = await add('/neighbour', 204);
    const foreign = await add('/foreign', 204, 'theirs');
    const asked = receiver.calls.length;
    const throttled = { type: 'THROTTLED', nonRetryable: false };
    expect(await send(throttling)).toMatchObject({
      ...throttled,
      nextRetryDelay: RETRY_AFTER_SECONDS * 1_000,
    });
    expect(await send(neighbour)).toMatchObject(throttled);
    expect(await send(foreign)).toEqual({ status: 204 });
    expect(receiver.calls.slice(asked).map(({ path }) => path)).toEqual(['/busy', '/foreign']);
  });

  it('comes back soon to one that others kept busy, however often it has waited in vain', async () => {
    const slow = await add('/slow', NO_ANSWER, 'busy');
    const calls = [send(slow), send(slow)];
    await eventually(
      'both are there',
      () => receiver.calls.filter(({ path }) => path === '/slow').length === 2,
    );
    const [first, late] = await Promise.all(
      [1, 1_000].map(async (attempt) => {
        const error = await send(slow, attempt);
        expect(error).toMatchObject({ type: HostBusyError.name, nonRetryable: false });
        return Number((error as ApplicationFailure).nextRetryDelay);
      }),
    );
    expect(first).toBeLessThanOrEqual(2_000);
    expect(late).toBeGreaterThan(20_000);
    expect(late).toBeLessThanOrEqual(60_000);
    receiver.stop();
    await Promise.all(calls);
  });
});
