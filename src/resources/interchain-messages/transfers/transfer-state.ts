import type { MessageRow } from '../message-list.js';

export const TRANSFER_STATES = ['sent', 'undelivered', 'delivered', 'executed', 'failed'] as const;
export type TransferState = (typeof TRANSFER_STATES)[number];

/** Of a message that is to be executed, as far as its two chains are indexed; a receipt that has come back proves a delivery alone. */
export function transferStateOf(
  row: Pick<MessageRow, 'destination_tx_hash' | 'is_executed' | 'is_credited' | 'is_destination_indexed'>,
): TransferState {
  if (row.destination_tx_hash !== null) return row.is_executed ? 'executed' : 'failed';
  if (row.is_credited === true) return 'delivered';
  return row.is_destination_indexed ? 'undelivered' : 'sent';
}
