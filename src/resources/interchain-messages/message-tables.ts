import type { Address, Hash } from '../../avalanche/evm/rpc/hex-values.js';
import type { MessageReceipt } from '../../avalanche/icm/messenger-event.js';
import { type EvmChainRef, evmChainKey } from '../../platform/database/chains.js';
import type { Queryable } from '../../platform/database/database.js';
import { type Column, column, Table } from '../../platform/database/table.js';
import type { Delivery, Execution, StatedFee, ToldMessage } from './message-facts.js';

/** Of the chain whose logs tell it. */
type OfChain<Fact> = Fact & { readonly chainKey: bigint };

const TOLD: readonly Column<OfChain<Execution>>[] = [
  column('message_id', 'bytea', ({ messageId }) => messageId.slice(2)),
  column('chain_key', 'bigint', ({ chainKey }) => chainKey),
  column('contract', 'bytea', ({ contract }) => contract.slice(2)),
  column('height', 'bigint', ({ log }) => log.height),
  column('log_index', 'int', ({ log }) => log.logIndex),
];

const MESSAGE: readonly Column<OfChain<ToldMessage>>[] = [
  ...TOLD,
  column('block_time', 'bigint', ({ log }) => log.blockTime),
  column('tx_hash', 'bytea', ({ log }) => log.txHash.slice(2)),
  column('fee', 'numeric', ({ log }) => log.fee),
  column('source_blockchain_id', 'bytea', ({ sourceBlockchainId }) => sourceBlockchainId.slice(2)),
  column('destination_blockchain_id', 'bytea', ({ message }) => message.destinationBlockchainId.slice(2)),
  column('nonce', 'numeric', ({ message }) => message.nonce),
  column('from_address', 'bytea', ({ message }) => message.from.slice(2)),
  column('to_address', 'bytea', ({ message }) => message.to.slice(2)),
  column('receipts', 'bytea[]', ({ message }) => message.receipts.map(packReceipt)),
  column('data', 'bytea', ({ message }) => message.data.slice(2)),
];

const POSITION = ({ of }: { of: string }): string => `(${of}.height, ${of}.log_index)`;
const IS_EARLIER = `${POSITION({ of: 'EXCLUDED' })} < ${POSITION({ of: '$row' })}`;
const IS_LATER = `${POSITION({ of: 'EXCLUDED' })} > ${POSITION({ of: '$row' })}`;
const CLAIM = ['message_id', 'chain_key', 'contract'];

/** Sent again, a message is still the one of the first time. */
export const SENDS = new Table<OfChain<ToldMessage>>({
  name: 'icm_sends',
  key: ['message_id'],
  columns: MESSAGE,
  replacedIf: IS_EARLIER,
});

export const DELIVERIES = new Table<OfChain<Delivery>>({
  name: 'icm_deliveries',
  key: ['message_id'],
  columns: [
    ...MESSAGE,
    column('deliverer', 'bytea', ({ deliverer }) => deliverer.slice(2)),
    column('reward_redeemer', 'bytea', ({ rewardRedeemer }) => rewardRedeemer.slice(2)),
  ],
  replacedIf: IS_EARLIER,
});

export const FEES = new Table<OfChain<StatedFee>>({
  name: 'icm_fees',
  key: CLAIM,
  columns: [
    ...TOLD,
    column('token', 'bytea', ({ fee }) => fee.token.slice(2)),
    column('amount', 'numeric', ({ fee }) => fee.amount),
    column('is_credited', 'boolean', ({ isCredited }) => isCredited),
  ],
  replacedIf: IS_LATER,
});

export const EXECUTIONS = new Table<OfChain<Execution>>({
  name: 'icm_executions',
  key: CLAIM,
  columns: TOLD,
  replacedIf: IS_EARLIER,
});

const TABLES = [SENDS, DELIVERIES, FEES, EXECUTIONS].map(({ definition }) => definition.name);
/** A transaction of it takes some tenths of a second. */
const MESSAGES_AT_ONCE = 1_000;

/** Some of the messages of which a chain has told anything; none when nothing is left. */
export async function findSomeTold(queryable: Queryable, chain: EvmChainRef): Promise<Hash[]> {
  const ofTable = (table: string): string =>
    `(SELECT message_id FROM ${table} WHERE network = $1 AND chain_key = $2 LIMIT ${MESSAGES_AT_ONCE})`;
  const rows = await queryable.query<{ message_id: Buffer }>({
    text: TABLES.map(ofTable).join(' UNION '),
    values: [chain.network, evmChainKey(chain)],
  });
  return rows.map(({ message_id: id }): Hash => `0x${id.toString('hex')}`);
}

/** Forgets what a chain has told of these messages. */
export async function removeTold(
  queryable: Queryable,
  chain: EvmChainRef,
  ids: readonly Hash[],
): Promise<void> {
  const values = [chain.network, evmChainKey(chain), ids.map((id) => Buffer.from(id.slice(2), 'hex'))];
  for (const table of TABLES) {
    const text = `DELETE FROM ${table} WHERE network = $1 AND chain_key = $2 AND message_id = ANY ($3::bytea[])`;
    await queryable.execute({ text, values });
  }
}

const NONCE_DIGITS = 64;

function packReceipt({ receivedMessageNonce, relayerRewardAddress }: MessageReceipt): string {
  return receivedMessageNonce.toString(16).padStart(NONCE_DIGITS, '0') + relayerRewardAddress.slice(2);
}

export function unpackReceipt(bytes: Buffer): MessageReceipt {
  const digits = bytes.toString('hex');
  const relayerRewardAddress: Address = `0x${digits.slice(NONCE_DIGITS)}`;
  return { receivedMessageNonce: BigInt(`0x${digits.slice(0, NONCE_DIGITS)}`), relayerRewardAddress };
}
