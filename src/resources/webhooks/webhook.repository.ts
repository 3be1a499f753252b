import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { randomUUID } from 'node:crypto';
import { type EntityManager, In, IsNull, LessThan, Not, type Repository } from 'typeorm';
import type { WebhookEvent, WebhookEventType } from '../../../workflows/contracts/deliver-webhook.js';
import { EVENTS_OF_MESSAGES, REPORTED_WITHIN_SECONDS } from './message-events.js';
import { Webhook, WebhookAddress, WebhookMessage, WebhookOutboxEntry } from './webhook.entities.js';
import { DAY_SECONDS } from '../../platform/time.js';

/** Of one organisation. */
export const MAX_WEBHOOKS = 10;

export interface WebhookSettings {
  readonly url: string;
  readonly eventTypes: readonly WebhookEventType[];
  /** Whose messages are reported. */
  readonly addresses: readonly `0x${string}`[];
}

export type KnownWebhook = WebhookSettings & Pick<Webhook, 'webhookId' | 'createdAt' | 'droppedCount'>;

/** An entry of the outbox that waits. */
export type WaitingEvent = Pick<WebhookOutboxEntry, 'webhookId' | 'eventId'> & {
  readonly event: WebhookEvent;
};

/** Of one webhook, so that those of the others are not behind all of them. */
const EVENTS_OF_A_TURN = 5;

/** Whatever the clocks of chains are, an event is written within this time of the first one about the same message. */
const REMEMBERED_SECONDS = 2 * REPORTED_WITHIN_SECONDS;

/**
 * Of a webhook, by the day in UTC: a receiver that is down has each of its events tried again for a day. The newest beyond it are dropped
 * and counted.
 */
export const MAX_MESSAGE_EVENTS_PER_DAY = 1_000;

/** Each may have as many events as there are webhooks. */
const MESSAGES_AT_ONCE = 10;

const LEAST_UUID = '00000000-0000-0000-0000-000000000000';

@Injectable()
export class WebhookRepository {
  /** Whose turn was last. */
  private lastTurn = LEAST_UUID;

  constructor(@InjectRepository(Webhook) private readonly webhooks: Repository<Webhook>) {}

  /**
   * Undefined when the organisation has MAX_WEBHOOKS. The same URL again is the same webhook, with these settings; addresses that stay are
   * watched on as before.
   */
  async add(
    orgId: string,
    { url, eventTypes, addresses }: WebhookSettings,
  ): Promise<KnownWebhook | undefined> {
    return this.webhooks.manager.transaction(async (manager) => {
      await manager.query('SELECT FROM api_organisations WHERE org_id = $1 FOR UPDATE', [orgId]);
      const known = await manager.findBy(Webhook, { orgId });
      const same = known.find((webhook) => webhook.url === url);
      if (same === undefined && known.length >= MAX_WEBHOOKS) return undefined;
      const now = Math.floor(Date.now() / 1000);
      const { webhookId, createdAt, droppedCount } = same ?? {
        webhookId: randomUUID(),
        createdAt: now,
        droppedCount: 0,
      };
      const isNew = same === undefined;
      if (isNew) await manager.insert(Webhook, { webhookId, orgId, url, eventTypes, createdAt });
      else await manager.update(Webhook, { webhookId }, { eventTypes });
      await manager.delete(WebhookAddress, { webhookId, address: Not(In(addresses)) });
      const watched = addresses.map((address) => ({ address, webhookId, since: now }));
      await manager.createQueryBuilder().insert().into(WebhookAddress).values(watched).orIgnore().execute();
      return { webhookId, url, eventTypes, addresses, createdAt, droppedCount };
    });
  }

  async list(orgId: string): Promise<KnownWebhook[]> {
    const { manager } = this.webhooks;
    const webhooks = await this.webhooks.find({
      where: { orgId },
      order: { createdAt: 'ASC', webhookId: 'ASC' },
    });
    const watched = await manager.find(WebhookAddress, {
      where: { webhookId: In(webhooks.map(({ webhookId }) => webhookId)) },
      order: { address: 'ASC' },
    });
    return webhooks.map(({ webhookId, url, eventTypes, createdAt, droppedCount }) => {
      const own = watched.filter((each) => each.webhookId === webhookId);
      const addresses = own.map(({ address }) => address);
      return { webhookId, url, eventTypes, addresses, createdAt, droppedCount };
    });
  }

  /** Whether the organisation had it. */
  async remove(orgId: string, webhookId: string): Promise<boolean> {
    const { affected } = await this.webhooks.delete({ orgId, webhookId });
    return affected === 1;
  }

  async find(webhookId: string): Promise<Webhook | undefined> {
    return (await this.webhooks.findOneBy({ webhookId })) ?? undefined;
  }

  /** Writes the events of some reported messages; how many messages. None while another process does. */
  async writeMessageEvents(nowSeconds = Math.floor(Date.now() / 1000)): Promise<number> {
    if (!(await this.webhooks.manager.exists(WebhookMessage))) return 0;
    return this.webhooks.manager.transaction(async (manager) => {
      const [turn]: { isMine: boolean }[] = await manager.query(
        'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS "isMine"',
        [WebhookMessage.name],
      );
      if (turn?.isMine !== true) return 0;
      const day = Math.floor(nowSeconds / DAY_SECONDS);
      const limits = [MAX_MESSAGE_EVENTS_PER_DAY, MESSAGES_AT_ONCE];
      const [written]: { count: number }[] = await manager.query(EVENTS_OF_MESSAGES, [
        day,
        nowSeconds,
        ...limits,
      ]);
      return written?.count ?? 0;
    });
  }

  /**
   * Hands events of the outbox over, the oldest ones of some webhooks, which then wait for the others' turns; they count as taken when
   * `take` resolves. Events that another process has in hand are passed over. How many there were.
   */
  async takeEvents(
    webhooks: number,
    take: (events: readonly WaitingEvent[]) => Promise<void>,
  ): Promise<number> {
    // Nearly always there are none, and a transaction would cost three statements each second.
    if (!(await this.webhooks.manager.existsBy(WebhookOutboxEntry, { event: Not(IsNull()) }))) return 0;
    return this.webhooks.manager.transaction(async (manager) => {
      const turns = await this.nextTurns(manager, webhooks);
      const events: WaitingEvent[] = await manager.query(WAITING, [turns, EVENTS_OF_A_TURN]);
      if (events.length === 0) return 0;
      await take(events);
      await manager.query(TAKEN, [
        events.map(({ webhookId }) => webhookId),
        events.map(({ eventId }) => eventId),
      ]);
      return events.length;
    });
  }

  /** Forgets which events were taken, once nothing can report them again. */
  async forgetEvents(nowSeconds = Date.now() / 1000): Promise<void> {
    const createdAt = LessThan(Math.floor(nowSeconds) - REMEMBERED_SECONDS);
    await this.webhooks.manager.delete(WebhookOutboxEntry, { event: IsNull(), createdAt });
  }

  private async nextTurns(manager: EntityManager, limit: number): Promise<string[]> {
    const after = async (webhookId: string): Promise<string[]> => {
      const rows: { webhook_id: string }[] = await manager.query(TURNS, [webhookId, limit]);
      return rows.map((row) => row.webhook_id);
    };
    const next = await after(this.lastTurn);
    const turns = next.length === 0 ? await after(LEAST_UUID) : next;
    this.lastTurn = turns.at(-1) ?? LEAST_UUID;
    return turns;
  }
}

/** The next webhooks with waiting events, each found by a look-up: one of them may have a thousand times as many events as the others. */
const TURNS = `
WITH RECURSIVE turn (webhook_id, place) AS (
  (SELECT webhook_id, 1 FROM webhook_events WHERE event IS NOT NULL AND webhook_id > $1 ORDER BY webhook_id LIMIT 1)
  UNION ALL
  SELECT (SELECT webhook_id FROM webhook_events WHERE event IS NOT NULL AND webhook_id > turn.webhook_id ORDER BY webhook_id LIMIT 1),
         place + 1
    FROM turn WHERE webhook_id IS NOT NULL AND place < $2
)
SELECT webhook_id FROM turn WHERE webhook_id IS NOT NULL`;

const WAITING = `
SELECT waiting.webhook_id AS "webhookId", waiting.event_id AS "eventId", waiting.event
  FROM unnest($1::uuid[]) AS turn (webhook_id)
 CROSS JOIN LATERAL (SELECT * FROM webhook_events WHERE webhook_id = turn.webhook_id AND event IS NOT NULL
                      ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED) AS waiting`;

const TAKEN = `
UPDATE webhook_events AS taken SET event = NULL FROM unnest($1::uuid[], $2::text[]) AS input (webhook_id, event_id)
 WHERE taken.webhook_id = input.webhook_id AND taken.event_id = input.event_id`;
