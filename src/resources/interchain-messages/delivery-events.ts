import { evmBytesOf, type Hash } from '../../avalanche/evm/rpc/hex-values.js';
import type { NetworkName } from '../../platform/config/config.module.js';
import type { Statement, Transaction } from '../../platform/database/database.js';
import { REPORTED_WITHIN_SECONDS, reportMessages } from '../webhooks/message-events.js';
import type { WebhookMessage } from '../webhooks/webhook.entities.js';
import { toDestinationTransaction, toMessageIdentity } from './dto/interchain-message.response.js';
import { toAddress } from './dto/transfer.response.js';
import type { ReportedDelivery, ReportedMessage } from './message-list.js';
import { sides } from './message-listings.js';
import { evmChainIdOf } from './message-query.js';

/** The clock of a chain may be so much ahead of ours. */
const FUTURE_SECONDS = 3_600;

type DeliveryRow = ReportedMessage & ReportedDelivery & { readonly addresses: readonly Buffer[] };

/**
 * Has the webhooks of all in whose lists these messages are called, if they are delivered: after each change of the lists, as the change may
 * be the delivery, or what the source alone has of a delivered message: who had the tokens sent. Whoever changes the lists holds them, so
 * that the later of the two finds both.
 *
 * Nearly always nobody watches any of them, which is one statement.
 */
export async function reportDeliveries(
  transaction: Transaction,
  network: NetworkName,
  ids: readonly Hash[],
): Promise<void> {
  if (ids.length === 0) return;
  const now = Math.floor(Date.now() / 1000);
  const rows = await transaction.query<DeliveryRow>(deliveriesToReport(network, ids, now));
  await reportMessages(
    transaction,
    rows.map((row) => toWebhookMessage(network, row)),
  );
}

/** Without any watched address, the condition that names nothing of a message spares all the rest. */
export function deliveriesToReport(
  network: NetworkName,
  ids: readonly Hash[],
  nowSeconds: number,
): Statement {
  return {
    text: `
SELECT message.message_id, contract, source_blockchain_id, destination_blockchain_id, nonce, from_address, to_address,
       tx_hash AS destination_tx_hash, block_time AS destination_time, fee AS destination_gas_fee, deliverer, reward_redeemer,
       concerned.addresses,
       ${evmChainIdOf(network, 'source_blockchain_id')} AS source_evm_chain_id,
       ${evmChainIdOf(network, 'destination_blockchain_id')} AS destination_evm_chain_id
  FROM icm_deliveries AS message
 CROSS JOIN LATERAL (
   SELECT array_agg(DISTINCT address) AS addresses,
          bool_or((SELECT true FROM webhook_addresses AS watched
                    WHERE watched.address = side.address AND watched.since <= message.block_time LIMIT 1)) AS is_watched
     FROM (${sides('ARRAY[message.message_id]')}) AS side
 ) AS concerned
 WHERE (SELECT true FROM webhook_addresses LIMIT 1) AND network = $1 AND message.message_id = ANY ($2::bytea[])
   AND block_time BETWEEN $3 AND $4 AND is_watched`,
    values: [network, ids.map(evmBytesOf), nowSeconds - REPORTED_WITHIN_SECONDS, nowSeconds + FUTURE_SECONDS],
  };
}

function toWebhookMessage(network: NetworkName, row: DeliveryRow): WebhookMessage {
  const message = toMessageIdentity(row);
  const destinationTransaction = toDestinationTransaction(row);
  const { timestamp: time } = destinationTransaction;
  const addresses = row.addresses.map(toAddress);
  return {
    eventId: `delivered-${network}-${message.messageId}`,
    time,
    event: {
      type: 'message.delivered',
      timestamp: new Date(time * 1000).toISOString(),
      data: { network, ...message, addresses, destinationTransaction },
    },
  };
}
