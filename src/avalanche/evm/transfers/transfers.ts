import type { EvmBlock, EvmLog, EvmTransaction } from '../blocks/block.js';
import { type Address, type Hash, type Hex, ZERO_ADDRESS } from '../rpc/hex-values.js';
import { WORD_DIGITS, ADDRESS_PADDING } from '../../ids/abi-word.js';

export type MovementKind = 'NATIVE' | 'INTERNAL' | 'ERC20' | 'ERC721' | 'ERC1155' | 'MINT' | 'FEE';

/** One amount of one asset that went from one address to another. */
export interface Movement {
  readonly kind: MovementKind;
  /** null when it belongs to the block rather than to a transaction; only of MINT, see native-mints.ts. */
  readonly txHash: Hash | null;
  /** {@link BEFORE_TRANSACTIONS} when it belongs to the block. */
  readonly txIndex: number;
  /** Position in the block of the log that reports it. */
  readonly logIndex: number | null;
  /** Position in a TransferBatch. */
  readonly batchIndex: number | null;
  /**
   * Positions in the call tree, e.g. `0_2` for the third call of the first call; only of INTERNAL, and of MINT that a trace shows: empty
   * for the transaction itself.
   */
  readonly tracePath: string | null;
  /** The zero address for tokens and native coins that were minted. */
  readonly from: Address;
  /** The zero address for tokens that were burnt. */
  readonly to: Address;
  /** The token; for NATIVE and INTERNAL the contract that was created. */
  readonly contract: Address | null;
  readonly tokenId: bigint | null;
  /** Raw units; 1 for ERC-721. */
  readonly amount: bigint;
}

/** Why a log that carries the signature of a transfer is none. */
type SkipReason = 'TOPIC_COUNT' | 'DATA_LENGTH' | 'ADDRESS_PADDING' | 'UNEQUAL_ARRAYS' | 'UNDECODABLE';

export interface BlockMovements {
  /** By transaction: NATIVE, tokens and mints in the order of their logs, FEE. */
  readonly movements: readonly Movement[];
  readonly skipped: ReadonlyMap<SkipReason, number>;
}

/** Movements of the block itself come before its first transaction. */
export const BEFORE_TRANSACTIONS = -1;

/** The precompile with which some L1s mint their native coin (graft/subnet-evm/precompile/contracts/nativeminter); nothing else logs here. */
export const NATIVE_MINTER: Address = '0x0200000000000000000000000000000000000001';
/** NativeCoinMinted(address,address,uint256): who asked for it, who got it, how much. Logged since Durango. */
export const NATIVE_COIN_MINTED_TOPIC = '0x400cd392f3d56fd10bb1dbd5839fdda8298208ddaa97b368faa053e1850930ee';
/** Transfer(address,address,uint256) of ERC-20 and of ERC-721, which indexes the third parameter too. */
export const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
/** TransferSingle(address,address,address,uint256,uint256) of ERC-1155. */
export const TRANSFER_SINGLE_TOPIC = '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62';
/** TransferBatch(address,address,address,uint256[],uint256[]) of ERC-1155. */
export const TRANSFER_BATCH_TOPIC = '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb';

/**
 * Every movement that a block's transactions and logs show; internal ones need a trace, see internal-transfers.ts.
 *
 * Each transaction gives exactly one FEE row, from the sender to the block's fee recipient, also when it failed or cost nothing. NATIVE is
 * the transaction's own value, when it succeeded: rows for an amount, and for a created contract even without one. Transfers of no tokens
 * are rows, as ERC-20 demands.
 *
 * Deposit and Withdrawal of wrapped native tokens are not transfers: the native half is a NATIVE or INTERNAL movement already, the wrapped
 * half goes to or from nobody, and any contract may use these signatures for something else. So movements of native assets add up to the
 * change of a balance, those of wrapped ones only together with their native halves.
 *
 * Contracts log what they like: a log that does not follow its standard is skipped and counted, never an error.
 */
export function recogniseMovements(block: EvmBlock): BlockMovements {
  const movements: Movement[] = [];
  const skipped = new Map<SkipReason, number>();
  for (const transaction of block.transactions) {
    addNative(movements, transaction);
    // A failed transaction has no logs; a node that shows some anyway must not make transfers of them.
    if (transaction.isSuccess) {
      for (const log of transaction.logs) {
        const reason = addTokens(movements, transaction, log);
        if (reason !== undefined) skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
      }
    }
    movements.push(feeOf(transaction, block.feeRecipient));
  }
  return { movements, skipped };
}

function addNative(movements: Movement[], transaction: EvmTransaction): void {
  const { isSuccess, value, createdContract, from } = transaction;
  const to = transaction.to ?? createdContract;
  if (!isSuccess || to === null || (value === 0n && createdContract === null)) return;
  movements.push({
    kind: 'NATIVE',
    ...positionOf(transaction),
    from,
    to,
    contract: createdContract,
    tokenId: null,
    amount: value,
  });
}

function feeOf(transaction: EvmTransaction, feeRecipient: Address): Movement {
  return {
    kind: 'FEE',
    ...positionOf(transaction),
    from: transaction.from,
    to: feeRecipient,
    contract: null,
    tokenId: null,
    amount: transaction.fee,
  };
}

function positionOf({ hash, index }: EvmTransaction) {
  return { txHash: hash, txIndex: index, logIndex: null, batchIndex: null, tracePath: null };
}

/** Adds the log's movement; the reason when it only pretends to be a transfer. */
function addTokens(movements: Movement[], transaction: EvmTransaction, log: EvmLog): SkipReason | undefined {
  switch (log.topics[0]) {
    case TRANSFER_TOPIC:
      return addTransfer(movements, transaction, log);
    case TRANSFER_SINGLE_TOPIC:
      return addSingle(movements, transaction, log);
    case TRANSFER_BATCH_TOPIC:
      return addBatch(movements, transaction, log);
    case NATIVE_COIN_MINTED_TOPIC:
      return log.address === NATIVE_MINTER ? addMint(movements, transaction, log) : undefined;
    default:
      return undefined;
  }
}

function addTransfer(
  movements: Movement[],
  transaction: EvmTransaction,
  log: EvmLog,
): SkipReason | undefined {
  const [, fromTopic, toTopic, idTopic] = log.topics;
  if (fromTopic === undefined || toTopic === undefined) return 'TOPIC_COUNT';
  const isNft = idTopic !== undefined;
  if (!hasWords(log.data, isNft ? 0 : 1)) return 'DATA_LENGTH';
  const from = addressOf(fromTopic);
  const to = addressOf(toTopic);
  if (from === undefined || to === undefined) return 'ADDRESS_PADDING';
  movements.push({
    kind: isNft ? 'ERC721' : 'ERC20',
    ...positionInLog(transaction, log, null),
    from,
    to,
    contract: log.address,
    tokenId: isNft ? BigInt(idTopic) : null,
    amount: isNft ? 1n : BigInt(log.data),
  });
  return undefined;
}

function addMint(movements: Movement[], transaction: EvmTransaction, log: EvmLog): SkipReason | undefined {
  const [, senderTopic, recipientTopic] = log.topics;
  if (senderTopic === undefined || recipientTopic === undefined) return 'TOPIC_COUNT';
  if (!hasWords(log.data, 1)) return 'DATA_LENGTH';
  const to = addressOf(recipientTopic);
  if (to === undefined) return 'ADDRESS_PADDING';
  movements.push({
    kind: 'MINT',
    ...positionInLog(transaction, log, null),
    from: ZERO_ADDRESS,
    to,
    contract: null,
    tokenId: null,
    amount: BigInt(log.data),
  });
  return undefined;
}

interface Parties {
  readonly from: Address;
  readonly to: Address;
}

function addSingle(movements: Movement[], transaction: EvmTransaction, log: EvmLog): SkipReason | undefined {
  const parties = partiesOfErc1155(log);
  if (typeof parties === 'string') return parties;
  if (!hasWords(log.data, 2)) return 'DATA_LENGTH';
  movements.push({
    kind: 'ERC1155',
    ...positionInLog(transaction, log, null),
    ...parties,
    contract: log.address,
    tokenId: wordAt(log.data, 0),
    amount: wordAt(log.data, WORD_DIGITS),
  });
  return undefined;
}

function addBatch(movements: Movement[], transaction: EvmTransaction, log: EvmLog): SkipReason | undefined {
  const parties = partiesOfErc1155(log);
  if (typeof parties === 'string') return parties;
  const decoded = decodeBatch(log.data);
  if (typeof decoded === 'string') return decoded;
  const [ids, amounts] = decoded;
  if (ids.length !== amounts.length) return 'UNEQUAL_ARRAYS';
  for (const [batchIndex, tokenId] of ids.entries()) {
    movements.push({
      kind: 'ERC1155',
      ...positionInLog(transaction, log, batchIndex),
      ...parties,
      contract: log.address,
      tokenId,
      amount: amounts[batchIndex] ?? 0n,
    });
  }
  return undefined;
}

/**
 * Two lists of numbers, each at its offset, of any length: an entry stands in the data, which costs 256 gas or more to log. By hand,
 * because a general decoder takes longer than all the rest of a block.
 */
function decodeBatch(data: Hex): readonly [readonly bigint[], readonly bigint[]] | SkipReason {
  const [ids, amounts] = [listAt(data, smallWordAt(data, 0)), listAt(data, smallWordAt(data, WORD_DIGITS))];
  return ids === undefined || amounts === undefined ? 'UNDECODABLE' : [ids, amounts];
}

/** Its length and then its numbers; undefined when that leads out of the data. */
function listAt(data: Hex, offset: number | undefined): bigint[] | undefined {
  if (offset === undefined) return undefined;
  const start = 2 * offset;
  const length = smallWordAt(data, start);
  if (length === undefined || 2 + start + (length + 1) * WORD_DIGITS > data.length) return undefined;
  return Array.from({ length }, (_, index) => wordAt(data, start + (index + 1) * WORD_DIGITS));
}

/** An offset or length that can be one; undefined for any other, and behind the end of the data. */
function smallWordAt(data: Hex, digit: number): number | undefined {
  if (2 + digit + WORD_DIGITS > data.length) return undefined;
  const value = wordAt(data, digit);
  return value <= BigInt(data.length) ? Number(value) : undefined;
}

/** Sender and receiver; the operator before them is not a party. */
function partiesOfErc1155({ topics }: EvmLog): Parties | SkipReason {
  const [, operatorTopic, fromTopic, toTopic] = topics;
  if (operatorTopic === undefined || fromTopic === undefined || toTopic === undefined) return 'TOPIC_COUNT';
  const from = addressOf(fromTopic);
  const to = addressOf(toTopic);
  return from === undefined || to === undefined ? 'ADDRESS_PADDING' : { from, to };
}

function positionInLog(transaction: EvmTransaction, log: EvmLog, batchIndex: number | null) {
  return {
    txHash: transaction.hash,
    txIndex: transaction.index,
    logIndex: log.index,
    batchIndex,
    tracePath: null,
  };
}

function hasWords(data: Hex, count: number): boolean {
  return data.length === 2 + count * WORD_DIGITS;
}

function wordAt(data: Hex, digit: number): bigint {
  return BigInt(`0x${data.slice(2 + digit, 2 + digit + WORD_DIGITS)}`);
}

function addressOf(topic: Hash): Address | undefined {
  return topic.startsWith(ADDRESS_PADDING, 2) ? `0x${topic.slice(2 + ADDRESS_PADDING.length)}` : undefined;
}
