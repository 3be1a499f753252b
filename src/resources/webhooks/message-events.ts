import type { MessageDelivered } from '../../../workflows/contracts/deliver-webhook.js';
import type { Transaction } from '../../platform/database/database.js';

/**
 * Of a webhook, by the day in UTC: a receiver that is down has each of its events tried again for a day. The newest beyond it are dropped
 * and counted.
 */
export const MAX_MESSAGE_EVENTS_PER_DAY = 1_000;

/** Older deliveries are history, which a chain whose index begins late has much of. Events are remembered for longer. */
export const REPORTED_WITHIN_SECONDS = 7 * 86_400;

const DAY_SECONDS = 86_400;

export interface MessageEvent {
  /** The same for the same message: the second is the first. */
  readonly eventId: string;
  /** UNIX seconds. */
  readonly time: number;
  /** Its addresses are all whom the message concerns. */
  readonly event: MessageDelivered;
}

/**
 * Puts an event for each webhook that watches one of the addresses into the outbox, once. Callers take turns: a webhook's count is that
 * of the caller before.
 */
export async function writeMessageEvents(
  transaction: Transaction,
  events: readonly MessageEvent[],
  nowSeconds: number,
): Promise<void> {
  if (events.length === 0) return;
  await transaction.execute({
    text: `
WITH matched AS (
  SELECT watched.webhook_id, reported."eventId" AS event_id,
         jsonb_set(reported.event, '{data,addresses}', jsonb_agg(concerned.name ORDER BY concerned.name)) AS event,
         row_number() OVER (PARTITION BY watched.webhook_id ORDER BY reported.time, reported."eventId") AS place
    FROM jsonb_to_recordset($1) AS reported ("eventId" text, time bigint, event jsonb)
   CROSS JOIN LATERAL jsonb_array_elements_text(reported.event #> '{data,addresses}') AS concerned (name)
    JOIN webhook_addresses AS watched ON watched.address = decode(substr(concerned.name, 3), 'hex') AND watched.since <= reported.time
   WHERE NOT EXISTS (SELECT FROM webhook_events AS known
                      WHERE known.webhook_id = watched.webhook_id AND known.event_id = reported."eventId")
   GROUP BY watched.webhook_id, reported."eventId", reported.time, reported.event
), more AS (
  SELECT webhook_id, count(*) AS count FROM matched GROUP BY webhook_id
), known AS (
  SELECT webhook_id, CASE WHEN message_day = $2 THEN message_count ELSE 0 END AS count FROM webhooks JOIN more USING (webhook_id)
), counted AS (
  UPDATE webhooks AS webhook
     SET message_day = $2, message_count = least($3, known.count + more.count),
         dropped_count = dropped_count + greatest(0, known.count + more.count - $3)
    FROM more JOIN known USING (webhook_id) WHERE webhook.webhook_id = more.webhook_id
)
INSERT INTO webhook_events (webhook_id, event_id, event, created_at)
SELECT webhook_id, event_id, event, $4 FROM matched JOIN known USING (webhook_id) WHERE known.count + matched.place <= $3
ON CONFLICT DO NOTHING`,
    values: [
      JSON.stringify(events),
      Math.floor(nowSeconds / DAY_SECONDS),
      MAX_MESSAGE_EVENTS_PER_DAY,
      nowSeconds,
    ],
  });
}
