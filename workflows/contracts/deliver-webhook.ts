import type { OperationStatus, OperationType } from './export-transactions.js';
import type { TaskQueue } from './task-queues.js';

/** Calls one webhook because of one event. Hosts that callers choose may be slow: they share the queue of NFTs' metadata. */
export const WEBHOOKS_QUEUE: TaskQueue = 'nfts';

export const WEBHOOK_EVENT_TYPES = ['operation.finished', 'message.delivered'] as const;
export type WebhookEventType = (typeof WEBHOOK_EVENT_TYPES)[number];

/** The body of the request. */
export type WebhookEvent = OperationFinished | MessageDelivered;

interface OperationFinished {
  type: 'operation.finished';
  /** When it happened; ISO 8601. */
  timestamp: string;
  data: { operationId: string; operationType: OperationType; operationStatus: OperationStatus };
}

/** Names and spelling are those of the lists of messages. */
export interface MessageDelivered {
  type: 'message.delivered';
  /** Time of the block in which it was delivered; ISO 8601. */
  timestamp: string;
  data: {
    network: string;
    messageId: string;
    icmContractAddress: string;
    sourceBlockchainId: string;
    destinationBlockchainId: string;
    sourceEvmChainId: string;
    destinationEvmChainId: string;
    messageNonce: string;
    from: string;
    to: string;
    /** Those of the webhook that the message concerns. */
    addresses: string[];
    destinationTransaction: {
      txHash: string;
      timestamp: number;
      gasSpent: string;
      rewardRedeemer: string;
      delivererAddress: string;
    };
  };
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

export function makeDeliverWebhookWorkflowId({
  webhookId,
  eventId,
}: Pick<DeliverWebhookInput, 'webhookId' | 'eventId'>): string {
  return `deliver-webhook:${webhookId}:${eventId}`;
}
