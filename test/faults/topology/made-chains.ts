import type { Hash } from '../../../src/avalanche/evm/rpc/hex-values.js';
import { addressFor, type RawTransaction } from '../../../sandbox/generated/evm-block.js';
import { MESSENGER } from '../../../src/platform/evm-chains/evm-chain.js';
import type { WatchedLog } from '../../../src/indexes/evm/projections/watched-log.js';
import { FIRST_TIMESTAMP_SECONDS, generateEvmChain } from '../../../sandbox/generated/evm-chain-generator.js';
import type { RecordedEvmBlock } from '../../../sandbox/recording/evm-recording.js';
import {
  executedLog,
  idOfMessage,
  type MadeMessage,
  type MessengerChain,
  messengerChain,
  receivedLog,
  sentLog,
} from '../../support/evm/messenger-logs.js';

/** 120 blocks a day: an export of some days is a few thousand rows, and a day passes in two minutes. */
const BLOCK_SECONDS = 720;
export const BLOCKS_PER_DAY = 86_400 / BLOCK_SECONDS;
/** A message is sent with every fourth block and delivered two blocks later on the other chain. */
const BLOCKS_PER_MESSAGE = 4;
const BLOCKS_UNTIL_DELIVERY = 2;
const MESSENGER_GAS = 100_000n;
const SENDERS = [900, 901, 902].map(addressFor);
const RECIPIENTS = [910, 911].map(addressFor);
const RELAYER = addressFor(920);

/** A chain that exists as a whole beforehand; its node announces it block by block. */
export interface MadeChain {
  readonly chain: MessengerChain;
  readonly name: string;
  /** Blocks below it are not indexed: exports read them from the node. */
  readonly startHeight: number;
  readonly blocks: readonly RecordedEvmBlock[];
}

export interface MadeChains {
  /** Sends messages to the other one. */
  readonly source: MadeChain;
  readonly destination: MadeChain;
}

export interface KnownMessage {
  readonly id: Hash;
  readonly sender: string;
  readonly sentAt: number;
  readonly deliveredAt: number;
}

/** Two EVM chains with all kinds of movements and messages from one to the other; the same ones for the same seed. */
export function makeChains({ seed, blocks }: { seed: number; blocks: number }): MadeChains {
  const source = messengerChain('fuji', 99_991n);
  const destination = messengerChain('fuji', 99_992n);
  const messageAt = (height: number): MadeMessage | undefined => {
    if (height <= 0 || height % BLOCKS_PER_MESSAGE !== 0) return undefined;
    const number = height / BLOCKS_PER_MESSAGE;
    return { source, destination, nonce: BigInt(number), from: senderOf(number), to: recipientOf(number) };
  };
  const sends = (height: number): RawTransaction[] => {
    const message = messageAt(height);
    return message === undefined ? [] : [transactionOf(sentLog(message, { height: BigInt(height) }))];
  };
  const deliveries = (height: number): RawTransaction[] => {
    const message = messageAt(height - BLOCKS_UNTIL_DELIVERY);
    if (message === undefined) return [];
    const at = { height: BigInt(height) };
    return [transactionOf(receivedLog(message, at, RELAYER), executedLog(message, at))];
  };
  // Exports of days below an index need the states of accounts, which add up of such amounts alone.
  const shape = { blocks, timeOf, isLawful: true };
  return {
    // The genesis is nobody's: what it gives is known of chains alone that are on the P-chain.
    source: {
      chain: source,
      name: 'Source',
      startHeight: 1,
      blocks: generateEvmChain({ ...shape, seed, extra: sends }),
    },
    destination: {
      chain: destination,
      name: 'Destination',
      startHeight: 5 * BLOCKS_PER_DAY,
      blocks: generateEvmChain({ ...shape, seed: seed + 1, extra: deliveries }),
    },
  };
}

export const MESSAGE_SENDERS: readonly string[] = SENDERS;

/** All messages that were sent up to a height. */
export function messagesUpTo({ source, destination }: MadeChains, height: number): KnownMessage[] {
  return Array.from({ length: Math.floor(height / BLOCKS_PER_MESSAGE) }, (_, index) => {
    const number = index + 1;
    const [from, to] = [senderOf(number), recipientOf(number)];
    const parts = { source: source.chain, destination: destination.chain, nonce: BigInt(number), from, to };
    const sentAt = number * BLOCKS_PER_MESSAGE;
    return { id: idOfMessage(parts), sender: from, sentAt, deliveredAt: sentAt + BLOCKS_UNTIL_DELIVERY };
  });
}

function timeOf(height: number): number {
  return FIRST_TIMESTAMP_SECONDS + height * BLOCK_SECONDS;
}

/** UTC, YYYY-MM-DD. */
export function dayOf(height: number): string {
  return new Date(timeOf(height) * 1000).toISOString().slice(0, 10);
}

function senderOf(number: number): MadeMessage['from'] {
  return SENDERS[number % SENDERS.length] ?? RELAYER;
}

function recipientOf(number: number): MadeMessage['to'] {
  return RECIPIENTS[number % RECIPIENTS.length] ?? RELAYER;
}

function transactionOf(...logs: readonly WatchedLog[]): RawTransaction {
  return {
    from: RELAYER,
    to: MESSENGER,
    gasUsed: MESSENGER_GAS,
    logs: logs.map(({ address, topics, data }) => ({ address, topics, data })),
  };
}
