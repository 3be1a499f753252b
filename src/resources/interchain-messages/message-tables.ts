import {
  type Address,
  evmBytesOf,
  evmHexOf,
  type Hash,
  type Hex,
} from '../../avalanche/evm/rpc/hex-values.js';
import type { MessageReceipt } from '../../avalanche/icm/messenger-event.js';
import { partiesOf, unpackTransfer } from '../../avalanche/icm/transfer-payload.js';
import { type EvmChainRef, evmChainKey } from '../../platform/database/chains.js';
import type { Queryable, Transaction } from '../../platform/database/database.js';
import { Table } from '../../platform/database/table.js';
import { IcmDelivery, IcmExecution, IcmFee, IcmSend, IcmSender } from './entities/icm.entities.js';
import type { Execution, MessageFacts, ToldMessage } from './message-facts.js';

const POSITION = ({ of }: { of: string }): string => `(${of}.height, ${of}.log_index)`;
const IS_EARLIER = `${POSITION({ of: 'EXCLUDED' })} < ${POSITION({ of: '$row' })}`;
const IS_LATER = `${POSITION({ of: 'EXCLUDED' })} > ${POSITION({ of: '$row' })}`;
/** Sent again, a message is still the one of the first time. */
const SENDS = new Table(IcmSend, { replacedIf: IS_EARLIER });
const DELIVERIES = new Table(IcmDelivery, { replacedIf: IS_EARLIER });
const FEES = new Table(IcmFee, { replacedIf: IS_LATER });
const EXECUTIONS = new Table(IcmExecution, { replacedIf: IS_EARLIER });
const SENDERS = new Table(IcmSender, { replacedIf: IS_EARLIER });

/** Writes what the lists depend on of what logs of a chain report, over what contradicts it. */
export async function writeMessages(
  transaction: Transaction,
  chain: EvmChainRef,
  { sends, deliveries, senders }: Pick<MessageFacts, 'sends' | 'deliveries' | 'senders'>,
): Promise<void> {
  const chainKey = evmChainKey(chain);
  await SENDS.upsert(
    transaction,
    chain.network,
    sends.map((send) => toMessageRow(send, chainKey)),
  );
  await DELIVERIES.upsert(
    transaction,
    chain.network,
    deliveries.map(({ deliverer, rewardRedeemer, ...message }) => ({
      ...toMessageRow(message, chainKey),
      deliverer,
      rewardRedeemer,
    })),
  );
  await SENDERS.upsert(
    transaction,
    chain.network,
    senders.map(({ sender, ...claim }) => ({ ...toClaimRow(claim, chainKey), sender })),
  );
}

/** As `writeMessages`, of what the lists do not depend on. */
export async function writeClaims(
  transaction: Transaction,
  chain: EvmChainRef,
  { fees, executions }: Pick<MessageFacts, 'fees' | 'executions'>,
): Promise<void> {
  const chainKey = evmChainKey(chain);
  await FEES.upsert(
    transaction,
    chain.network,
    fees.map(({ fee, isCredited, ...claim }) => ({ ...toClaimRow(claim, chainKey), ...fee, isCredited })),
  );
  await EXECUTIONS.upsert(
    transaction,
    chain.network,
    executions.map((claim) => toClaimRow(claim, chainKey)),
  );
}

function toClaimRow({ messageId, contract, log }: Execution, chainKey: bigint) {
  return { messageId, chainKey, contract, height: log.height, logIndex: log.logIndex };
}

function toMessageRow(reported: ToldMessage, chainKey: bigint) {
  const { log, message, sourceBlockchainId } = reported;
  return {
    ...toClaimRow(reported, chainKey),
    blockTime: log.blockTime,
    txHash: log.txHash,
    fee: log.fee,
    sourceBlockchainId,
    destinationBlockchainId: message.destinationBlockchainId,
    nonce: message.nonce,
    fromAddress: message.from,
    toAddress: message.to,
    receipts: message.receipts.map(packReceipt),
    data: message.data,
    parties: partiesIn(message.data),
  };
}

function partiesIn(data: Hex): Address[] {
  const transfer = unpackTransfer(data);
  return transfer === undefined ? [] : partiesOf(transfer);
}

const TABLES = [SENDS, DELIVERIES, FEES, EXECUTIONS, SENDERS].map(({ name }) => name);
/** A transaction of it takes some tenths of a second. */
const MESSAGES_AT_ONCE = 1_000;

/** Some of the messages of which a chain has reported anything; none when nothing is left. */
export async function findSomeReported(queryable: Queryable, chain: EvmChainRef): Promise<Hash[]> {
  const ofTable = (table: string): string =>
    `(SELECT message_id FROM ${table} WHERE network = $1 AND chain_key = $2 LIMIT ${MESSAGES_AT_ONCE})`;
  const rows = await queryable.query<{ message_id: Buffer }>({
    text: TABLES.map(ofTable).join(' UNION '),
    values: [chain.network, evmChainKey(chain)],
  });
  return rows.map(({ message_id: id }) => evmHexOf(id));
}

/** Forgets the reports of a chain about these messages. */
export async function removeReports(
  queryable: Queryable,
  chain: EvmChainRef,
  ids: readonly Hash[],
): Promise<void> {
  const values = [chain.network, evmChainKey(chain), ids.map(evmBytesOf)];
  for (const table of TABLES) {
    const text = `DELETE FROM ${table} WHERE network = $1 AND chain_key = $2 AND message_id = ANY ($3::bytea[])`;
    await queryable.execute({ text, values });
  }
}

const NONCE_DIGITS = 64;

function packReceipt({ receivedMessageNonce, relayerRewardAddress }: MessageReceipt): Hex {
  return `0x${receivedMessageNonce.toString(16).padStart(NONCE_DIGITS, '0')}${relayerRewardAddress.slice(2)}`;
}

export function unpackReceipt(bytes: Buffer): MessageReceipt {
  const digits = bytes.toString('hex');
  const relayerRewardAddress: Address = `0x${digits.slice(NONCE_DIGITS)}`;
  return { receivedMessageNonce: BigInt(`0x${digits.slice(0, NONCE_DIGITS)}`), relayerRewardAddress };
}
