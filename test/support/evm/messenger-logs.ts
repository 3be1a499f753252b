import { decodeEventLog, encodeAbiParameters, encodeEventTopics, encodeFunctionData } from 'viem/utils';
import type { Address, Hash, Hex } from '../../../src/avalanche/evm/rpc/hex-values.js';
import { ZERO_ADDRESS } from '../../../src/avalanche/evm/rpc/hex-values.js';
import { messageIdOf } from '../../../src/avalanche/icm/message-id.js';
import { TRANSFERRER_TOPICS } from '../../../src/avalanche/icm/transferrer-event.js';
import { fromHex } from '../../../src/avalanche/ids/hex.js';
import { idToString } from '../../../src/avalanche/ids/id.js';
import { MESSENGER } from '../../../src/platform/evm-chains/evm-chain.js';
import type { ProjectedChain } from '../../../src/indexes/evm/projections/projection.js';
import type { WatchedLog } from '../../../src/indexes/evm/projections/watched-log.js';
import { Messenger } from '../../../tools/localnet/contracts/artifacts.js';

/** A chain with a messenger at the well-known address. */
export interface MessengerChain extends ProjectedChain {
  readonly id: Hash;
}

export function messengerChain(network: 'mainnet' | 'fuji', chainId: bigint): MessengerChain {
  const id: Hash = `0x${chainId.toString(16).padStart(64, 'c')}`;
  return { network, chainId, id, blockchainId: idToString(fromHex(id)) };
}

export interface MadeMessage {
  readonly source: MessengerChain;
  readonly destination: MessengerChain;
  readonly nonce: bigint;
  readonly from: Address;
  readonly to: Address;
  readonly data?: Hex;
}

export interface MadeAt {
  readonly height: bigint;
  /** Height, when left out. */
  readonly time?: number;
  readonly logIndex?: number;
  readonly contract?: Address;
  /** One of its own for each log, when left out. */
  readonly txHash?: Hash;
}

export function idOfMessage({ source, destination, nonce }: MadeMessage, contract = MESSENGER): Hash {
  return messageIdOf({
    contract,
    sourceBlockchainId: source.id,
    destinationBlockchainId: destination.id,
    nonce,
  });
}

const NO_FEE = { token: ZERO_ADDRESS, amount: 0n };

const FEE = {
  type: 'tuple',
  components: [{ type: 'address' }, { type: 'uint256' }],
} as const;

export function sentLog(
  message: MadeMessage,
  at: MadeAt,
  fee: { token: Address; amount: bigint } = NO_FEE,
): WatchedLog {
  const topics = encodeEventTopics({
    abi: Messenger.abi,
    eventName: 'SendCrossChainMessage',
    args: { messageID: idOfMessage(message, at.contract), destinationBlockchainID: message.destination.id },
  });
  return logAt(at, topics, encodeAbiParameters([MESSAGE, FEE], [valuesOf(message), [fee.token, fee.amount]]));
}

export function receivedLog(message: MadeMessage, at: MadeAt, deliverer: Address = message.from): WatchedLog {
  const topics = encodeEventTopics({
    abi: Messenger.abi,
    eventName: 'ReceiveCrossChainMessage',
    args: { messageID: idOfMessage(message, at.contract), sourceBlockchainID: message.source.id, deliverer },
  });
  return logAt(
    at,
    topics,
    encodeAbiParameters([{ type: 'address' }, MESSAGE], [deliverer, valuesOf(message)]),
  );
}

export function executedLog(message: MadeMessage, at: MadeAt): WatchedLog {
  const topics = encodeEventTopics({
    abi: Messenger.abi,
    eventName: 'MessageExecuted',
    args: { messageID: idOfMessage(message), sourceBlockchainID: message.source.id },
  });
  return logAt(at, topics, '0x');
}

export function feeAddedLog(message: MadeMessage, at: MadeAt, token: Address, amount: bigint): WatchedLog {
  const topics = encodeEventTopics({
    abi: Messenger.abi,
    eventName: 'AddFeeAmount',
    args: { messageID: idOfMessage(message) },
  });
  return logAt(at, topics, encodeAbiParameters([FEE], [[token, amount]]));
}

export function receiptReceivedLog(
  message: MadeMessage,
  at: MadeAt,
  fee: { token: Address; amount: bigint } = NO_FEE,
): WatchedLog {
  const topics = encodeEventTopics({
    abi: Messenger.abi,
    eventName: 'ReceiptReceived',
    args: {
      messageID: idOfMessage(message),
      destinationBlockchainID: message.destination.id,
      relayerRewardAddress: message.from,
    },
  });
  return logAt(at, topics, encodeAbiParameters([FEE], [[fee.token, fee.amount]]));
}

export function executionFailedLog(message: MadeMessage, at: MadeAt): WatchedLog {
  const topics = encodeEventTopics({
    abi: Messenger.abi,
    eventName: 'MessageExecutionFailed',
    args: { messageID: idOfMessage(message), sourceBlockchainID: message.source.id },
  });
  return logAt(at, topics, encodeAbiParameters([MESSAGE], [valuesOf(message)]));
}

/** A log of a token transferrer; its data are not read. */
export function transferrerLog(
  event: keyof typeof TRANSFERRER_TOPICS,
  indexed: readonly Hex[],
  at: MadeAt & { readonly contract: Address },
): WatchedLog {
  const words = indexed.map((value): Hash => `0x${value.slice(2).padStart(64, '0')}`);
  return logAt(at, [TRANSFERRER_TOPICS[event], ...words], '0x1234');
}

/** The input of the call that executes the message of a delivery again, as viem encodes it. */
export function retryInputOf({ topics: [topic, ...indexed], data }: WatchedLog): Hex {
  const { args } = decodeEventLog({
    abi: Messenger.abi,
    eventName: 'ReceiveCrossChainMessage',
    topics: [topic ?? '0x', ...indexed],
    data,
  });
  return encodeFunctionData({
    abi: Messenger.abi,
    functionName: 'retryMessageExecution',
    args: [args.sourceBlockchainID, args.message],
  });
}

const MESSAGE = {
  type: 'tuple',
  components: [
    { type: 'uint256' },
    { type: 'address' },
    { type: 'bytes32' },
    { type: 'address' },
    { type: 'uint256' },
    { type: 'address[]' },
    { type: 'tuple[]', components: [{ type: 'uint256' }, { type: 'address' }] },
    { type: 'bytes' },
  ],
} as const;

function valuesOf({ nonce, from, destination, to, data = '0x1234' }: MadeMessage) {
  return [nonce, from, destination.id, to, 200_000n, [], [], data] as const;
}

function logAt(
  {
    height,
    time = Number(height),
    logIndex = 0,
    contract = MESSENGER,
    txHash = `0x${(height * 1000n + BigInt(logIndex)).toString(16).padStart(64, '0')}`,
  }: MadeAt,
  topics: readonly (Hex | readonly Hex[] | null)[],
  data: Hex,
): WatchedLog {
  return {
    height,
    logIndex,
    txIndex: logIndex,
    blockTime: time,
    txHash,
    address: contract,
    topics: topics.flat().filter((topic) => topic !== null),
    data,
    fee: 21_000n,
  };
}
