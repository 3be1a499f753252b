import type { EntityManager, ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import type { NetworkName } from '../../platform/config/config.module.js';
import { partitionOf } from '../../platform/database/chains.js';
import { REPORTED } from './message-list.js';

/**
 * Messages of a network as rows (MessageRow), by the ids in the `message_id` of `places`, a subquery whose other columns they have, too.
 * The two sides are joined here.
 */
export function messagesAt(
  manager: EntityManager,
  network: NetworkName,
  places: string,
): SelectQueryBuilder<ObjectLiteral> {
  const chainOf = (column: string): string =>
    evmChainIdOf(network, `coalesce(sent.${column}, delivery.${column})`);
  const query = manager
    .createQueryBuilder()
    .select(
      `'${network}' AS network, place.*,
       ${REPORTED.map((name) => `coalesce(sent.${name}, delivery.${name}) AS ${name}`).join(', ')},
       ${chainOf('source_blockchain_id')} AS source_evm_chain_id,
       ${chainOf('destination_blockchain_id')} AS destination_evm_chain_id,
       EXISTS (SELECT FROM icm_chains WHERE network = '${network}' AND blockchain_id =
                 coalesce(sent.destination_blockchain_id, delivery.destination_blockchain_id)) AS is_destination_indexed,
       sent.tx_hash AS source_tx_hash, sent.block_time AS source_time, sent.fee AS source_gas_fee,
       sent.chain_key AS source_chain_key, sent.height AS source_height, sent.log_index AS source_log_index,
       sender.sender,
       delivery.tx_hash AS destination_tx_hash, delivery.block_time AS destination_time,
       delivery.fee AS destination_gas_fee, delivery.deliverer, delivery.reward_redeemer,
       delivery.chain_key AS destination_chain_key, delivery.height AS destination_height,
       delivery.log_index AS destination_log_index,
       execution.message_id IS NOT NULL AS is_executed, execution.height AS execution_height,
       fee.token AS fee_token, fee.amount AS fee_amount, fee.is_credited,
       token.name AS token_name, token.symbol AS token_symbol, token.decimals AS token_decimals`,
    )
    .from(`(${places})`, 'place');
  const join = (table: string, alias: string, condition: string): unknown =>
    query.leftJoin(partitionOf(table, network), alias, `${alias}.network = '${network}' AND ${condition}`);
  join('icm_sends', 'sent', 'sent.message_id = place.message_id');
  join('icm_deliveries', 'delivery', 'delivery.message_id = place.message_id');
  join('icm_fees', 'fee', claims('fee', 'sent', 'contract'));
  join('icm_executions', 'execution', claims('execution', 'delivery', 'contract'));
  join('icm_senders', 'sender', claims('sender', 'sent', 'from_address'));
  return query.leftJoin(
    'evm_tokens',
    'token',
    'token.chain_key = fee.chain_key AND token.contract = fee.token',
  );
}

/** The same of several networks, as `page`; `placesIn` is of one of them. */
export function messagesOf(
  manager: EntityManager,
  networks: readonly NetworkName[],
  placesIn: (network: NetworkName) => string,
): SelectQueryBuilder<ObjectLiteral> {
  const all = networks.map((network) => messagesAt(manager, network, placesIn(network)).getQuery());
  return manager
    .createQueryBuilder()
    .select('page.*')
    .from(`(${all.join(' UNION ALL ')})`, 'page');
}

/** EVM chain id of a blockchain id, null while unknown. */
export function evmChainIdOf(network: NetworkName, blockchainId: string): string {
  const isIt = `network = '${network}' AND blockchain_id = ${blockchainId}`;
  return `coalesce((SELECT evm_chain_id FROM icm_chains WHERE ${isIt}),
                   (SELECT evm_chain_id FROM ${partitionOf('blockchains', network)} WHERE ${isIt}))`;
}

/** Of the message's own chain and of that contract of it. */
function claims(claim: string, message: string, contract: string): string {
  const same = ['message_id', 'chain_key'].map((column) => `${claim}.${column} = ${message}.${column}`);
  return [...same, `${claim}.contract = ${message}.${contract}`].join(' AND ');
}
