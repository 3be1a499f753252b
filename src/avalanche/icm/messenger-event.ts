import type { EvmLog } from '../evm/blocks/block.js';
import type { Address, Hash, Hex } from '../evm/rpc/hex-values.js';
import { AbiError, type AbiProblem, AbiReader, addressOfWord } from './abi-reader.js';

/** Topics of the messenger contracts' events. Where a version changed the layout of one, it has another topic. */
export const MESSENGER_TOPICS = {
  sent: '0x2a211ad4a59ab9d003852404f9c57c690704ee755f3c79d2c2812ad32da99df8',
  /** Of the second version's example, whose messages name the contract that sends them, too. Its other events are those of the first. */
  sentWithOrigin: '0x14d9f96bda232881a6460c5fca942a64c8f5babfc75ae626b27caff9fa7ce7d1',
  received: '0x292ee90bbaf70b5d4936025e09d56ba08f3e421156b6a568cf3c2840d9343e34',
  executed: '0x34795cc6b122b9a0ae684946319f1e14a577b4e8f9b3dda9ac94c21a54d3188c',
  executionFailed: '0x4619adc1017b82e02eaefac01a43d50d6d8de4460774bc370c3ff0210d40c985',
  receiptReceived: '0xd13a7935f29af029349bed0a2097455b91fd06190a30478c575db3f31e00bf57',
  feeAdded: '0xc1bfd1f1208927dfbd414041dcb5256e6c9ad90dd61aec3249facbd34ff7b3e1',
  blockchainIdInitialized: '0x1eac640109dc937d2a9f42735a05f794b39a5e3759d681951d671aabbce4b104',
  rewardsRedeemed: '0x3294c84e5b0f29d9803655319087207bc94f4db29f7927846944822773780b88',
} as const;

/** Reports that a message arrived, and to whom its fee is owed. */
export interface MessageReceipt {
  readonly receivedMessageNonce: bigint;
  readonly relayerRewardAddress: Address;
}

export interface InterchainMessage {
  /** Counts all messages of the contract on its chain, from 1 on. */
  readonly nonce: bigint;
  readonly from: Address;
  readonly destinationBlockchainId: Hash;
  readonly to: Address;
  /** Of messages that went the other way. */
  readonly receipts: readonly MessageReceipt[];
  /** Empty in a message that carries nothing but receipts, which is never executed. */
  readonly data: Hex;
}

export interface TokenFee {
  readonly token: Address;
  readonly amount: bigint;
}

interface OfMessage {
  readonly messageId: Hash;
}

export type MessengerEvent =
  | (OfMessage & { readonly kind: 'sent'; readonly message: InterchainMessage; readonly fee: TokenFee })
  | (OfMessage & {
      readonly kind: 'received';
      readonly sourceBlockchainId: Hash;
      readonly deliverer: Address;
      readonly rewardRedeemer: Address;
      readonly message: InterchainMessage;
    })
  | (OfMessage & { readonly kind: 'executed'; readonly sourceBlockchainId: Hash })
  | (OfMessage & {
      readonly kind: 'executionFailed';
      readonly sourceBlockchainId: Hash;
      readonly message: InterchainMessage;
    })
  | (OfMessage & {
      readonly kind: 'receiptReceived';
      readonly destinationBlockchainId: Hash;
      readonly relayerRewardAddress: Address;
      readonly fee: TokenFee;
    })
  /** The fee is the whole one, not what was added. */
  | (OfMessage & { readonly kind: 'feeAdded'; readonly fee: TokenFee })
  | { readonly kind: 'blockchainIdInitialized'; readonly blockchainId: Hash }
  | {
      readonly kind: 'rewardsRedeemed';
      readonly redeemer: Address;
      readonly token: Address;
      readonly amount: bigint;
    };

/** Why a log is not an event of a messenger. */
export interface NotUnderstood {
  readonly kind: 'notUnderstood';
  readonly reason: 'UNKNOWN_TOPIC' | 'TOPIC_COUNT' | 'TOO_LONG' | 'WRONG_DESTINATION' | AbiProblem;
}

/** More than twice of what fits into a warp message (avalanchego v1.15.0 vms/platformvm/warp/payload/codec.go): bounds all lists. */
export const MAX_EVENT_BYTES = 64 * 1024;

/**
 * A log of a messenger. Contracts at a messenger's address may log anything: a log that does not follow the layout is
 * `notUnderstood`, never an error. The id is the log's: who believes it has to recompute it (message-id.ts).
 */
export function readMessengerEvent(log: Pick<EvmLog, 'topics' | 'data'>): MessengerEvent | NotUnderstood {
  try {
    return log.data.length > 2 + 2 * MAX_EVENT_BYTES ? notUnderstood('TOO_LONG') : readEvent(log);
  } catch (error) {
    if (error instanceof AbiError) return notUnderstood(error.problem);
    throw error;
  }
}

function readEvent({ topics, data }: Pick<EvmLog, 'topics' | 'data'>): MessengerEvent | NotUnderstood {
  const [topic, first, second, third] = topics;
  const hasIndexed = (count: number): boolean => topics.length === count + 1;
  const values = new AbiReader(data);
  switch (topic) {
    case MESSENGER_TOPICS.sent:
    case MESSENGER_TOPICS.sentWithOrigin: {
      if (first === undefined || second === undefined || !hasIndexed(2)) return notUnderstood('TOPIC_COUNT');
      const message = readMessage(values.tuple(0), topic === MESSENGER_TOPICS.sentWithOrigin);
      if (message.destinationBlockchainId !== second) return notUnderstood('WRONG_DESTINATION');
      return { kind: 'sent', messageId: first, message, fee: readFee(values.inlined(1)) };
    }
    case MESSENGER_TOPICS.received:
      if (first === undefined || second === undefined || third === undefined || !hasIndexed(3)) {
        return notUnderstood('TOPIC_COUNT');
      }
      return {
        kind: 'received',
        messageId: first,
        sourceBlockchainId: second,
        deliverer: addressOfTopic(third),
        rewardRedeemer: values.address(0),
        message: readMessage(values.tuple(1)),
      };
    case MESSENGER_TOPICS.executed:
      if (first === undefined || second === undefined || !hasIndexed(2)) return notUnderstood('TOPIC_COUNT');
      return { kind: 'executed', messageId: first, sourceBlockchainId: second };
    case MESSENGER_TOPICS.executionFailed:
      if (first === undefined || second === undefined || !hasIndexed(2)) return notUnderstood('TOPIC_COUNT');
      return {
        kind: 'executionFailed',
        messageId: first,
        sourceBlockchainId: second,
        message: readMessage(values.tuple(0)),
      };
    case MESSENGER_TOPICS.receiptReceived:
      if (first === undefined || second === undefined || third === undefined || !hasIndexed(3)) {
        return notUnderstood('TOPIC_COUNT');
      }
      return {
        kind: 'receiptReceived',
        messageId: first,
        destinationBlockchainId: second,
        relayerRewardAddress: addressOfTopic(third),
        fee: readFee(values),
      };
    case MESSENGER_TOPICS.feeAdded:
      if (first === undefined || !hasIndexed(1)) return notUnderstood('TOPIC_COUNT');
      return { kind: 'feeAdded', messageId: first, fee: readFee(values) };
    case MESSENGER_TOPICS.blockchainIdInitialized:
      if (first === undefined || !hasIndexed(1)) return notUnderstood('TOPIC_COUNT');
      return { kind: 'blockchainIdInitialized', blockchainId: first };
    case MESSENGER_TOPICS.rewardsRedeemed:
      if (first === undefined || second === undefined || !hasIndexed(2)) return notUnderstood('TOPIC_COUNT');
      return {
        kind: 'rewardsRedeemed',
        redeemer: addressOfTopic(first),
        token: addressOfTopic(second),
        amount: values.uint(0),
      };
    default:
      return notUnderstood('UNKNOWN_TOPIC');
  }
}

/** The gas limit and who may deliver it are of no use afterwards. */
function readMessage(values: AbiReader, hasOrigin = false): InterchainMessage {
  const behind = hasOrigin ? 1 : 0;
  return {
    nonce: values.uint(0),
    from: values.address(1),
    destinationBlockchainId: values.hash(2 + behind),
    to: values.address(3 + behind),
    receipts: values.list(6 + behind, 2, (receipt) => ({
      receivedMessageNonce: receipt.uint(0),
      relayerRewardAddress: receipt.address(1),
    })),
    data: values.bytes(7 + behind),
  };
}

function readFee(values: AbiReader): TokenFee {
  return { token: values.address(0), amount: values.uint(1) };
}

function addressOfTopic(topic: Hash): Address {
  return addressOfWord(topic.slice(2));
}

function notUnderstood(reason: NotUnderstood['reason']): NotUnderstood {
  return { kind: 'notUnderstood', reason };
}
