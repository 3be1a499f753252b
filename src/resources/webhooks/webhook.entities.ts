import { Entity, ForeignKey, Index } from 'typeorm';
import { ApiOrganisation } from '../../access/keys/api-key.entities.js';
import * as Column from '../../platform/database/columns.js';
import type {
  MessageDelivered,
  WebhookEvent,
  WebhookEventType,
} from '../../../workflows/contracts/deliver-webhook.js';

/** Where an organisation wants to be called. Its secret follows from its id and a secret of the installation. */
@Entity({ name: 'webhooks' })
@Index('webhooks_org_idx', ['orgId', 'createdAt'])
export class Webhook {
  @Column.Uuid({ key: true }) readonly webhookId!: string;
  @Column.Text()
  @ForeignKey(() => ApiOrganisation, 'orgId', { name: 'webhooks_org' })
  readonly orgId!: string;
  @Column.Text() readonly url!: string;
  @Column.Texts() readonly eventTypes!: readonly WebhookEventType[];
  /** UNIX seconds. */
  @Column.SafeInteger() readonly createdAt!: number;
  /** The last day, in days since 1970, with an event about a message. */
  @Column.Int({ default: 0 }) readonly messageDay!: number;
  /** Events about messages on that day. */
  @Column.Int({ default: 0 }) readonly messageCount!: number;
  /** Those beyond what a day may have, since the webhook was added. */
  @Column.SafeInteger({ default: 0 }) readonly droppedCount!: number;
}

/** Whose messages a webhook is called for. The key is the index by which a message finds its webhooks. */
@Entity({ name: 'webhook_addresses' })
@Index('webhook_addresses_webhook_idx', ['webhookId'])
export class WebhookAddress {
  @Column.EvmHex({ key: true }) readonly address!: `0x${string}`;
  @Column.Uuid({ key: true })
  @ForeignKey(() => Webhook, 'webhookId', { name: 'webhook_addresses_webhook', onDelete: 'CASCADE' })
  readonly webhookId!: string;
  /** UNIX seconds: what happened before is not reported. */
  @Column.SafeInteger() readonly since!: number;
}

/**
 * A delivered message that is watched, written with the rows of its delivery, so that neither is there alone. The events of its webhooks,
 * which may be many, are written from it: chains wait for one another's messages, and not for webhooks.
 */
@Entity({ name: 'webhook_messages' })
@Index('webhook_messages_time_idx', ['time'])
export class WebhookMessage {
  @Column.Text({ key: true }) readonly eventId!: string;
  /** UNIX seconds. */
  @Column.SafeInteger() readonly time!: number;
  /** Its addresses are all whom the message concerns. */
  @Column.Jsonb() readonly event!: MessageDelivered;
}

/**
 * A delivery, written with the rows that it is about, so that neither is there alone. `event` is null once its workflow has been started:
 * the row then remembers that, for longer than Temporal may, because the rows that it is about can be made anew.
 */
@Entity({ name: 'webhook_events' })
@Index('webhook_events_waiting_idx', ['webhookId', 'createdAt'], { where: 'event IS NOT NULL' })
@Index('webhook_events_taken_idx', ['createdAt'], { where: 'event IS NULL' })
export class WebhookOutboxEntry {
  @Column.Uuid({ key: true }) readonly webhookId!: string;
  /** Unique among the events of all times. */
  @Column.Text({ key: true }) readonly eventId!: string;
  @Column.Jsonb({ nullable: true }) readonly event!: WebhookEvent | null;
  /** UNIX seconds. */
  @Column.SafeInteger() readonly createdAt!: number;
}
