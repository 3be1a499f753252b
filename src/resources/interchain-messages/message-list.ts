import type { NetworkName } from '../../platform/config/config.module.js';
import { partitionOf } from '../../platform/database/partition.js';
import { SqlParameters } from '../../platform/database/sql-parameters.js';
import type { Statement } from '../../platform/database/statement.js';
import {
  FOLLOWS,
  type Keyset,
  keysetCondition,
  type PagePlace,
} from '../../platform/http/pagination/keyset.js';

export interface MessageListRequest extends PagePlace {
  /** At least one. */
  readonly networks: readonly NetworkName[];
  /** Hex without 0x. */
  readonly address: string;
}

/** What either side reports about a message. */
interface Told {
  readonly contract: Buffer;
  readonly source_blockchain_id: Buffer;
  readonly destination_blockchain_id: Buffer;
  readonly nonce: string;
  readonly from_address: Buffer;
  readonly to_address: Buffer;
  readonly receipts: readonly Buffer[];
  readonly data: Buffer;
}

/** A message as reported by its source, or by its destination while the source is not indexed. Numbers beyond 2^53 are decimal text. */
export interface MessageRow extends Told {
  readonly network: NetworkName;
  readonly message_id: Buffer;
  readonly sort_time: string;
  /** Of the list that is being read. */
  readonly version: string;
  readonly source_evm_chain_id: string | null;
  readonly destination_evm_chain_id: string | null;
  readonly source_tx_hash: Buffer | null;
  readonly source_time: string | null;
  readonly source_gas_fee: string | null;
  readonly destination_tx_hash: Buffer | null;
  readonly destination_time: string | null;
  readonly destination_gas_fee: string | null;
  readonly deliverer: Buffer | null;
  readonly reward_redeemer: Buffer | null;
  readonly is_executed: boolean;
  readonly fee_token: Buffer | null;
  readonly fee_amount: string | null;
  readonly is_credited: boolean | null;
  readonly token_name: string | null;
  readonly token_symbol: string | null;
  readonly token_decimals: number | null;
}

const TOLD = [
  'contract',
  'source_blockchain_id',
  'destination_blockchain_id',
  'nonce',
  'from_address',
  'to_address',
  'receipts',
  'data',
] as const satisfies readonly (keyof Told)[];

/**
 * The messages of an address, the newest first, in the version of the list in which the first page was read: one walk over an index
 * for each network. What is not in the list itself is of the moment.
 */
export function interchainMessages(request: MessageListRequest): Statement {
  const { networks, limit } = request;
  const parameters = new SqlParameters();
  const address = parameters.addBytes(request.address);
  const [version, time, messageId, network] = request.after ?? [];
  const listVersion =
    typeof version === 'string'
      ? `${parameters.add(version)}::bigint`
      : '(SELECT version FROM icm_list_version)';
  const keys = { 'l.sort_time': 'bigint', 'l.message_id': 'bytea' } as const;
  const after = time === undefined || messageId === undefined ? undefined : [time, messageId];
  const pages = networks.map((each) => {
    // Two networks may have the same message, where both names stand for local ones.
    const comparison = typeof network === 'string' && each < network ? '<=' : FOLLOWS.desc;
    const conditions = [
      `l.network = '${each}' AND l.address = ${address} AND l.since_version <= ${listVersion}`,
      `(l.until_version IS NULL OR l.until_version > ${listVersion})`,
      ...keysetCondition(parameters, { keys, comparison, after }),
    ];
    return messagesOf(each, {
      walk: `
        SELECT l.sort_time, l.message_id FROM ${partitionOf('icm_listings', each)} l
         WHERE ${conditions.join(' AND ')}
         ORDER BY l.sort_time DESC, l.message_id DESC LIMIT ${limit}`,
    });
  });
  return {
    text: `
      SELECT page.*, ${listVersion} AS version FROM (${pages.join(' UNION ALL ')}) AS page
       ORDER BY sort_time DESC, message_id DESC, network DESC LIMIT ${limit}`,
    values: parameters.values,
    onePlan: true,
  };
}

function messagesOf(network: NetworkName, { walk }: { walk: string }): string {
  const table = (name: string): string => partitionOf(name, network);
  const chainOf = (column: string): string => {
    const isIt = `network = '${network}' AND blockchain_id = coalesce(sent.${column}, delivery.${column})`;
    return `coalesce((SELECT evm_chain_id FROM icm_chains WHERE ${isIt}),
                     (SELECT evm_chain_id FROM ${table('blockchains')} WHERE ${isIt}))`;
  };
  return `
    SELECT '${network}' AS network, place.sort_time, place.message_id,
           ${TOLD.map((name) => `coalesce(sent.${name}, delivery.${name}) AS ${name}`).join(', ')},
           ${chainOf('source_blockchain_id')} AS source_evm_chain_id,
           ${chainOf('destination_blockchain_id')} AS destination_evm_chain_id,
           sent.tx_hash AS source_tx_hash, sent.block_time AS source_time, sent.fee AS source_gas_fee,
           delivery.tx_hash AS destination_tx_hash, delivery.block_time AS destination_time,
           delivery.fee AS destination_gas_fee, delivery.deliverer, delivery.reward_redeemer,
           execution.message_id IS NOT NULL AS is_executed,
           fee.token AS fee_token, fee.amount AS fee_amount, fee.is_credited,
           token.name AS token_name, token.symbol AS token_symbol, token.decimals AS token_decimals
      FROM (${walk}) AS place
      LEFT JOIN ${table('icm_sends')} sent ON sent.network = '${network}' AND sent.message_id = place.message_id
      LEFT JOIN ${table('icm_deliveries')} delivery ON delivery.network = '${network}' AND delivery.message_id = place.message_id
      LEFT JOIN ${table('icm_fees')} fee ON fee.network = '${network}' AND fee.message_id = sent.message_id
            AND fee.chain_key = sent.chain_key AND fee.contract = sent.contract
      LEFT JOIN ${table('icm_executions')} execution ON execution.network = '${network}' AND execution.message_id = delivery.message_id
            AND execution.chain_key = delivery.chain_key AND execution.contract = delivery.contract
      LEFT JOIN evm_tokens token ON token.chain_key = fee.chain_key AND token.contract = fee.token`;
}

export function keysetOf(row: MessageRow): Keyset {
  return [row.version, row.sort_time, row.message_id.toString('hex'), row.network];
}
