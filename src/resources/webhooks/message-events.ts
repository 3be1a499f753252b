import type { Transaction } from '../../platform/database/database.js';
import { DAY_SECONDS } from '../../platform/time.js';
import type { WebhookMessage } from './webhook.entities.js';

/** Older deliveries are history, which a chain whose index begins late has much of. Events are remembered for longer. */
export const REPORTED_WITHIN_SECONDS = 7 * DAY_SECONDS;

/** Messages that are watched, to be reported once `transaction` is committed. Reported again, a message may concern more addresses. */
export async function reportMessages(
  transaction: Transaction,
  messages: readonly WebhookMessage[],
): Promise<void> {
  if (messages.length === 0) return;
  await transaction.execute({
    text: `INSERT INTO webhook_messages (event_id, time, event)
           SELECT "eventId", time, event FROM jsonb_to_recordset($1) AS message ("eventId" text, time bigint, event jsonb)
           ON CONFLICT (event_id) DO UPDATE SET event = EXCLUDED.event`,
    values: [JSON.stringify(messages)],
  });
}

/**
 * Some reported messages ($4, the oldest) into an event for each webhook that watches one of their addresses, unless it has had it; how many
 * messages there were. A webhook has $3 of them on day $1, of which the oldest count. $2: UNIX seconds. One at a time: each needs the counts
 * of the one before.
 */
export const EVENTS_OF_MESSAGES = `
WITH reported AS (
  DELETE FROM webhook_messages WHERE event_id IN (SELECT event_id FROM webhook_messages ORDER BY time LIMIT $4) RETURNING *
), matched AS (
  SELECT watched.webhook_id, event_id,
         jsonb_set(reported.event, '{data,addresses}', jsonb_agg(concerned.name ORDER BY concerned.name)) AS event,
         row_number() OVER (PARTITION BY watched.webhook_id ORDER BY time, event_id) AS place
    FROM reported CROSS JOIN LATERAL jsonb_array_elements_text(reported.event #> '{data,addresses}') AS concerned (name)
    JOIN webhook_addresses AS watched ON watched.address = decode(substr(concerned.name, 3), 'hex') AND watched.since <= time
   WHERE NOT EXISTS (SELECT FROM webhook_events AS known
                      WHERE known.webhook_id = watched.webhook_id AND known.event_id = reported.event_id)
   GROUP BY watched.webhook_id, event_id, time, reported.event
), more AS (
  SELECT webhook_id, count(*) AS count FROM matched GROUP BY webhook_id
), known AS (
  SELECT webhook_id, CASE WHEN message_day = $1 THEN message_count ELSE 0 END AS count FROM webhooks JOIN more USING (webhook_id)
), counted AS (
  UPDATE webhooks AS webhook
     SET message_day = $1, message_count = least($3, known.count + more.count),
         dropped_count = dropped_count + greatest(0, known.count + more.count - $3)
    FROM more JOIN known USING (webhook_id) WHERE webhook.webhook_id = more.webhook_id
), written AS (
  INSERT INTO webhook_events (webhook_id, event_id, event, created_at)
  SELECT webhook_id, event_id, event, $2 FROM matched JOIN known USING (webhook_id) WHERE known.count + matched.place <= $3
  ON CONFLICT DO NOTHING
)
SELECT count(*)::int AS count FROM reported`;
