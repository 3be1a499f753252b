import type { OperationStatus, OperationType } from './export-transactions.js';
import type { TaskQueue } from './task-queues.js';

/** Calls one webhook because of one event. Hosts that callers choose may be slow: they share the queue of NFTs' metadata. */
export const WEBHOOKS_QUEUE: TaskQueue = 'nfts';

/** The body of the request. */
export interface WebhookEvent {
  type: 'operation.finished';
  /** When it happened; ISO 8601. */
  timestamp: string;
  data: { operationId: string; operationType: OperationType; operationStatus: OperationStatus };
}

export interface DeliverWebhookInput {
  webhookId: string;
  /** The same in every attempt. */
  eventId: string;
  event: WebhookEvent;
  /** Between two attempts, at first; doubled each time, to an hour at most. */
  retryMs: number;
}

export interface DeliveredWebhook {
  /** HTTP status of the receiver; null when the webhook was removed in the meantime. */
  status: number | null;
}

/** `type` of the failure that ends a delivery: the receiver wants no more. */
export const WEBHOOK_GONE = 'WEBHOOK_GONE';

export function makeDeliverWebhookWorkflowId({ webhookId, eventId }: DeliverWebhookInput): string {
  return `deliver-webhook:${webhookId}:${eventId}`;
}
