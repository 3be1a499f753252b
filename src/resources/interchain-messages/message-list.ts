import type { NetworkName } from '../../platform/config/config.module.js';
import type { Keyset, PagePlace } from '../../platform/http/pagination/keyset.js';

export interface TransactionMessagesRequest extends PagePlace {
  /** At least one. */
  readonly networks: readonly NetworkName[];
  /** Hex without 0x. */
  readonly txHash: string;
}

export interface MessageListRequest extends PagePlace {
  /** At least one. */
  readonly networks: readonly NetworkName[];
  /** Hex without 0x. */
  readonly address: string;
}

/** Which message it is, and between whom. Numbers beyond 2^53 are decimal text, here as below. */
export interface ReportedMessage {
  readonly message_id: Buffer;
  readonly contract: Buffer;
  readonly source_blockchain_id: Buffer;
  readonly destination_blockchain_id: Buffer;
  readonly nonce: string;
  readonly from_address: Buffer;
  readonly to_address: Buffer;
  readonly source_evm_chain_id: string | null;
  readonly destination_evm_chain_id: string | null;
}

/** The transaction that delivered it. */
export interface ReportedDelivery {
  readonly destination_tx_hash: Buffer;
  readonly destination_time: string;
  readonly destination_gas_fee: string;
  readonly deliverer: Buffer;
  readonly reward_redeemer: Buffer;
}

type OrNull<T> = { readonly [Name in keyof T]: T[Name] | null };

/** A message as reported by its source, or by its destination while the source is not indexed. */
export interface MessageRow extends ReportedMessage, OrNull<ReportedDelivery> {
  readonly network: NetworkName;
  readonly receipts: readonly Buffer[];
  readonly data: Buffer;
  /** Whether messages of that chain were read. */
  readonly is_destination_indexed: boolean;
  readonly source_tx_hash: Buffer | null;
  readonly source_time: string | null;
  readonly source_gas_fee: string | null;
  readonly source_chain_key: string | null;
  readonly source_height: string | null;
  readonly source_log_index: number | null;
  /** Who had a token transferrer send it. */
  readonly sender: Buffer | null;
  readonly destination_chain_key: string | null;
  readonly destination_height: string | null;
  readonly destination_log_index: number | null;
  readonly is_executed: boolean;
  readonly execution_height: string | null;
  readonly fee_token: Buffer | null;
  readonly fee_amount: string | null;
  readonly is_credited: boolean | null;
  readonly token_name: string | null;
  readonly token_symbol: string | null;
  readonly token_decimals: number | null;
}

export interface ListedMessageRow extends MessageRow {
  readonly sort_time: string;
  /** Of the list that is being read. */
  readonly version: string;
}

/** A message that a transaction has sent or received. */
export interface TransactionMessageRow extends MessageRow {
  readonly log_index: number;
}

export const REPORTED = [
  'contract',
  'source_blockchain_id',
  'destination_blockchain_id',
  'nonce',
  'from_address',
  'to_address',
  'receipts',
  'data',
] as const satisfies readonly (keyof MessageRow)[];

export function keysetOf(row: ListedMessageRow): Keyset {
  return [row.version, row.sort_time, row.message_id.toString('hex'), row.network];
}

export function keysetInTransaction(row: TransactionMessageRow): Keyset {
  return [row.log_index.toString(), row.message_id.toString('hex'), row.network];
}
