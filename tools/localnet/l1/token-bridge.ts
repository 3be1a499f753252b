import type { PrivateKeyAccount } from 'viem/accounts';
import { encodeDeployData } from 'viem/utils';
import { type Address, type Hex, ZERO_ADDRESS } from '../../../src/avalanche/evm/rpc/hex-values.js';
import { Erc20, TokenHome, TokenRemote } from '../contracts/artifacts.js';
import { callsOf } from '../contracts/calls.js';
import type { EvmChain } from './evm-chain.js';
import {
  blockchainIdOf,
  MESSENGER_ADDRESS,
  readSentMessage,
  type SentMessage,
  SENDING_GAS,
} from './messenger.js';

/** Those of both ends. */
const CALLS = callsOf(TokenHome.abi);

const DEPLOYMENT_GAS = 4_000_000n;
const RECEIVER_GAS = 400_000n;
const CALL_GAS = 100_000n;

/** One end of a bridge. */
export interface BridgeEnd {
  readonly chain: EvmChain;
  readonly transferrer: Address;
}

/** A token of one chain and its home, where `owner` has some, and remotes of it on another. */
export async function deployBridge(
  home: EvmChain,
  remote: EvmChain,
  { owner, amount, symbols }: { owner: Address; amount: bigint; symbols: readonly string[] },
): Promise<{ home: BridgeEnd; remotes: BridgeEnd[] }> {
  const { wallet, funded: from } = home;
  const token = await wallet.deploy({
    from,
    data: encodeDeployData({ abi: Erc20.abi, bytecode: Erc20.bytecode, args: ['Token', 'TOK', 18] }),
  });
  await wallet.run({ from, to: token, data: callsOf(Erc20.abi).mint(owner, amount) });
  const { abi, bytecode } = TokenHome;
  const transferrer = await wallet.deploy({
    from,
    data: encodeDeployData({ abi, bytecode, args: [MESSENGER_ADDRESS, token] }),
    gas: DEPLOYMENT_GAS,
  });
  const remotes: BridgeEnd[] = [];
  for (const symbol of symbols) {
    const args = [MESSENGER_ADDRESS, blockchainIdOf(home), transferrer, symbol] as const;
    const data = encodeDeployData({ abi: TokenRemote.abi, bytecode: TokenRemote.bytecode, args });
    const gas = DEPLOYMENT_GAS;
    const address = await remote.wallet.deploy({ from: remote.funded, data, gas });
    remotes.push({ chain: remote, transferrer: address });
  }
  return { home: { chain: home, transferrer }, remotes };
}

interface Sending {
  readonly from: BridgeEnd;
  readonly to: BridgeEnd;
  readonly sender: PrivateKeyAccount;
  readonly recipient: Address;
  readonly amount: bigint;
}

/** By way of the home, if neither end is. */
export async function sendTokens({ from, to, sender, recipient, amount }: Sending): Promise<SentMessage> {
  const input = {
    ...destinationOf(to),
    recipient,
    secondaryFee: 0n,
    requiredGasLimit: RECEIVER_GAS,
    multiHopFallback: sender.address,
  };
  return run(from, sender, CALLS.send(input, amount));
}

/** The recipient is called with no input; without code it accepts that. */
export async function sendTokensAndCall(
  { from, to, sender, recipient, amount }: Sending,
  recipientPayload: Hex,
): Promise<SentMessage> {
  const input = {
    ...destinationOf(to),
    recipientContract: recipient,
    recipientPayload,
    requiredGasLimit: RECEIVER_GAS,
    recipientGasLimit: CALL_GAS,
    multiHopFallback: ZERO_ADDRESS,
    fallbackRecipient: sender.address,
    secondaryFee: 0n,
  };
  return run(from, sender, CALLS.sendAndCall(input, amount));
}

/** Whether messages to it fail from now on. */
export async function refuseTokens({ chain, transferrer }: BridgeEnd, refusing: boolean): Promise<void> {
  await chain.wallet.run({ from: chain.funded, to: transferrer, data: CALLS.setRefusing(refusing) });
}

async function run(
  { chain, transferrer: to }: BridgeEnd,
  from: PrivateKeyAccount,
  data: Hex,
): Promise<SentMessage> {
  return readSentMessage(await chain.wallet.run({ from, to, data, gas: SENDING_GAS }));
}

function destinationOf({ chain, transferrer }: BridgeEnd) {
  return {
    destinationBlockchainID: blockchainIdOf(chain),
    destinationTokenTransferrerAddress: transferrer,
    primaryFeeTokenAddress: ZERO_ADDRESS,
    primaryFee: 0n,
  };
}
