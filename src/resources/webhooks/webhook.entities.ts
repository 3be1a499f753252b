import { Entity, ForeignKey, Index } from 'typeorm';
import { ApiOrganisation } from '../../access/keys/api-key.entities.js';
import * as Column from '../../platform/database/columns.js';
import type { WebhookEvent } from '../../../workflows/contracts/deliver-webhook.js';

/** Where an organisation wants to be called. Its secret follows from its id and a secret of the installation. */
@Entity({ name: 'webhooks' })
@Index('webhooks_org_idx', ['orgId', 'createdAt'])
export class Webhook {
  @Column.Uuid({ key: true }) readonly webhookId: string;
  @Column.Text()
  @ForeignKey(() => ApiOrganisation, 'orgId', { name: 'webhooks_org' })
  readonly orgId: string;
  @Column.Text() readonly url: string;
  /** UNIX seconds. */
  @Column.SafeInteger() readonly createdAt: number;
}

/** A delivery whose workflow has not been started: written with the rows that it is about, so that neither is there alone. */
@Entity({ name: 'webhook_events' })
export class WebhookOutboxEntry {
  @Column.Uuid({ key: true }) readonly webhookId: string;
  /** Unique among the events of all times. */
  @Column.Text({ key: true }) readonly eventId: string;
  @Column.Jsonb() readonly event: WebhookEvent;
}
