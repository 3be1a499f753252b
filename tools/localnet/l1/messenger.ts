import { decodeEventLog, getCreateAddress, parseEther } from 'viem/utils';
import type { Address, Hash, Hex } from '../../../src/avalanche/evm/rpc/hex-values.js';
import { namedAccount, toLowerCase } from '../c-chain/accounts.js';
import type { Receipt } from '../c-chain/evm-wallet.js';
import { HexSchema } from '../../../sandbox/recording/evm-recording.js';
import { Messenger as Contract } from '../contracts/artifacts.js';
import { callsOf } from '../contracts/calls.js';
import { callWithMessage, type EvmChain } from './evm-chain.js';
import { readWarpMessage } from './warp-log.js';

const CALLS = callsOf(Contract.abi);

/** Only ever deploys messengers: with its first transaction, so that they have the same address on all chains. */
const DEPLOYER = namedAccount('messenger');
export const DEPLOYMENT_COSTS = parseEther('1');
const DEPLOYMENT_GAS = 6_000_000n;
export const SENDING_GAS = 1_000_000n;
const RECEIVER_GAS = 200_000n;

/** A messenger hears only those at its own address. */
export const MESSENGER_ADDRESS: Address = toLowerCase(
  getCreateAddress({ from: DEPLOYER.address, nonce: 0n }),
);

export interface TokenFee {
  readonly feeTokenAddress: Address;
  readonly amount: bigint;
}

export interface NewMessage {
  readonly to: EvmChain;
  readonly receiver: Address;
  readonly message: Hex;
  readonly fee?: TokenFee;
}

export interface SentMessage {
  readonly messageId: Hash;
  readonly txHash: Hex;
  /** As the messenger has it. */
  readonly message: Sent['args']['message'];
  /** As the validators sign it. */
  readonly unsignedMessage: Uint8Array;
}

export type MessengerEvent = ReturnType<typeof readMessengerEvents>[number];
type EventName = MessengerEvent['eventName'];
type EventCalled<N extends EventName> = Extract<MessengerEvent, { eventName: N }>;
type Sent = EventCalled<'SendCrossChainMessage'>;
type Received = EventCalled<'ReceiveCrossChainMessage'>;

const NO_FEE: TokenFee = { feeTokenAddress: `0x${'0'.repeat(40)}`, amount: 0n };

/** Unless it is there already. */
export async function deployMessenger({ node, wallet, funded }: EvmChain): Promise<void> {
  const code = await node.call('eth_getCode', [MESSENGER_ADDRESS, 'latest'], HexSchema);
  if (code !== '0x') return;
  await wallet.run({ from: funded, to: DEPLOYER.address, value: DEPLOYMENT_COSTS });
  const address = await wallet.deploy({ from: DEPLOYER, data: Contract.bytecode, gas: DEPLOYMENT_GAS });
  if (address !== MESSENGER_ADDRESS) throw new Error(`the messenger is at ${address}`);
  await wallet.run({ from: funded, to: address, data: CALLS.initializeBlockchainID() });
}

export async function sendMessage(
  chain: EvmChain,
  { to, receiver, message, fee }: NewMessage,
): Promise<SentMessage> {
  const input = {
    destinationBlockchainID: blockchainIdOf(to),
    destinationAddress: receiver,
    feeInfo: fee ?? NO_FEE,
    requiredGasLimit: RECEIVER_GAS,
    allowedRelayerAddresses: [],
    message,
  };
  return readSentMessage(await callMessenger(chain, CALLS.sendCrossChainMessage(input)));
}

/** The same message once more, as long as its receipt has not come back. */
export async function sendAgain(chain: EvmChain, { message }: SentMessage): Promise<SentMessage> {
  return readSentMessage(await callMessenger(chain, CALLS.retrySendCrossChainMessage(message)));
}

/** Receipts of messages that came from the other chain, in a message of their own. */
export async function sendReceipts(
  chain: EvmChain,
  { to, messageIds }: { to: EvmChain; messageIds: readonly Hash[] },
): Promise<SentMessage> {
  const data = CALLS.sendSpecifiedReceipts(blockchainIdOf(to), messageIds, NO_FEE, []);
  return readSentMessage(await callMessenger(chain, data));
}

/** Resolves with what the messenger logs, when the chain accepts the signatures. The funded account gets the fee. */
export async function deliverMessage(chain: EvmChain, signedMessage: Uint8Array): Promise<MessengerEvent[]> {
  return readMessengerEvents(await deliver(chain, signedMessage));
}

/** As `deliverMessage`, of a message that sends another one when it is executed. */
export async function deliverAndForward(chain: EvmChain, signedMessage: Uint8Array): Promise<SentMessage> {
  return readSentMessage(await deliver(chain, signedMessage));
}

function deliver(chain: EvmChain, signedMessage: Uint8Array): Promise<Receipt> {
  const data = CALLS.receiveCrossChainMessage(0, chain.funded.address);
  return callWithMessage(chain, { to: MESSENGER_ADDRESS, data, signedMessage });
}

/** A message that was delivered and whose execution failed, once more. */
export async function executeAgain(chain: EvmChain, { args: received }: Received): Promise<MessengerEvent[]> {
  const data = CALLS.retryMessageExecution(received.sourceBlockchainID, received.message);
  return readMessengerEvents(await callMessenger(chain, data));
}

export async function redeemRewards(chain: EvmChain, feeToken: Address): Promise<MessengerEvent[]> {
  return readMessengerEvents(await callMessenger(chain, CALLS.redeemRelayerRewards(feeToken)));
}

export async function addFee(chain: EvmChain, messageId: Hash, fee: TokenFee): Promise<MessengerEvent[]> {
  const data = CALLS.addFeeAmount(messageId, fee.feeTokenAddress, fee.amount);
  return readMessengerEvents(await callMessenger(chain, data));
}

/** The events of that name, in the order of the logs. */
export function eventsOf<N extends EventName>(events: readonly MessengerEvent[], name: N): EventCalled<N>[] {
  return events.filter((event): event is EventCalled<N> => event.eventName === name);
}

function callMessenger({ wallet, funded }: EvmChain, data: Hex): Promise<Receipt> {
  return wallet.run({ from: funded, to: MESSENGER_ADDRESS, data, gas: SENDING_GAS });
}

/** In the order of the logs. */
function readMessengerEvents({ logs, transactionHash: txHash }: Receipt) {
  return logs
    .filter(({ address }) => address === MESSENGER_ADDRESS)
    .map(({ topics, data }) => ({ txHash, ...decodeEventLog({ abi: Contract.abi, topics, data }) }));
}

export function blockchainIdOf({ blockchainId }: EvmChain): Hex {
  return `0x${blockchainId}`;
}

export function readSentMessage(receipt: Receipt): SentMessage {
  const [sent] = eventsOf(readMessengerEvents(receipt), 'SendCrossChainMessage');
  if (sent === undefined) throw new Error('nothing was sent');
  const { messageID: messageId, message } = sent.args;
  return { messageId, message, txHash: sent.txHash, unsignedMessage: readWarpMessage(receipt) };
}
