import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { randomUUID } from 'node:crypto';
import type { Repository } from 'typeorm';
import { Webhook, WebhookOutboxEntry } from './webhook.entities.js';

/** Of one organisation. */
export const MAX_WEBHOOKS = 10;

@Injectable()
export class WebhookRepository {
  constructor(@InjectRepository(Webhook) private readonly webhooks: Repository<Webhook>) {}

  /** Undefined when the organisation has MAX_WEBHOOKS. The same URL again is the same webhook. */
  async add(orgId: string, url: string): Promise<Webhook | undefined> {
    return this.webhooks.manager.transaction(async (manager) => {
      await manager.query('SELECT FROM api_organisations WHERE org_id = $1 FOR UPDATE', [orgId]);
      const known = await manager.findBy(Webhook, { orgId });
      const same = known.find((webhook) => webhook.url === url);
      if (same !== undefined) return same;
      if (known.length >= MAX_WEBHOOKS) return undefined;
      const added = { webhookId: randomUUID(), orgId, url, createdAt: Math.floor(Date.now() / 1000) };
      await manager.insert(Webhook, added);
      return added;
    });
  }

  list(orgId: string): Promise<Webhook[]> {
    return this.webhooks.find({ where: { orgId }, order: { createdAt: 'ASC', webhookId: 'ASC' } });
  }

  /** Whether the organisation had it. */
  async remove(orgId: string, webhookId: string): Promise<boolean> {
    const { affected } = await this.webhooks.delete({ orgId, webhookId });
    return affected === 1;
  }

  async find(webhookId: string): Promise<Webhook | undefined> {
    return (await this.webhooks.findOneBy({ webhookId })) ?? undefined;
  }

  /** Hands entries of the outbox over; they are removed when `take` resolves. Entries that another process has in hand are passed over. */
  async takeEvents(
    limit: number,
    take: (entries: readonly WebhookOutboxEntry[]) => Promise<void>,
  ): Promise<number> {
    // Nearly always there are none, and a transaction would cost three statements each second.
    if (!(await this.webhooks.manager.exists(WebhookOutboxEntry))) return 0;
    return this.webhooks.manager.transaction(async (manager) => {
      const entries = await manager
        .createQueryBuilder(WebhookOutboxEntry, 'entry')
        .setLock('pessimistic_write')
        .setOnLocked('skip_locked')
        .limit(limit)
        .getMany();
      if (entries.length === 0) return 0;
      await take(entries);
      await manager.remove(entries);
      return entries.length;
    });
  }
}
