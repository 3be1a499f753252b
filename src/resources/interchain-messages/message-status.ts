import type { MessageRow } from './message-list.js';

export const MESSAGE_STATUSES = ['pending', 'delivered', 'delivered_source_not_indexed'] as const;
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

/**
 * One of the two transactions is known, or there were no row. A receipt that has come back proves a delivery on a chain that is not
 * indexed.
 */
export function messageStatusOf(
  row: Pick<MessageRow, 'source_tx_hash' | 'destination_tx_hash' | 'is_credited'>,
): MessageStatus {
  if (row.source_tx_hash === null) return 'delivered_source_not_indexed';
  return row.destination_tx_hash !== null || row.is_credited === true ? 'delivered' : 'pending';
}
