import { decodeEventLog, encodeFunctionData } from 'viem/utils';
import type { Address, Hex } from '../../../src/avalanche/evm/rpc/hex-values.js';
import { fromHex, toHex } from '../../../src/avalanche/ids/hex.js';
import { ValidatorManager as Contract } from '../contracts/artifacts.js';
import { callWithMessage, type EvmChain } from './evm-chain.js';
import { readWarpMessage } from './warp-log.js';

/** The manager of an L1 on a chain of it. */
export interface Manager {
  readonly chain: EvmChain;
  readonly address: Address;
}

/** The unsigned message in which the manager sends the payload to the P-chain. */
export async function orderAsManager({ chain, address }: Manager, payload: Uint8Array): Promise<Uint8Array> {
  const args = [asHex(payload)] as const;
  const data = encodeFunctionData({ abi: Contract.abi, functionName: 'order', args });
  return readWarpMessage(await chain.wallet.run({ from: chain.funded, to: address, data }));
}

/** Resolves with the payload as the chain has verified it: the P-chain's message to the manager. */
export async function confirmToManager(
  { chain, address }: Manager,
  signedMessage: Uint8Array,
): Promise<Uint8Array> {
  const data = encodeFunctionData({ abi: Contract.abi, functionName: 'confirm', args: [0] });
  const { logs } = await callWithMessage(chain, { to: address, data, signedMessage });
  const [log] = logs;
  if (log === undefined) throw new Error('the manager has confirmed nothing');
  const { args } = decodeEventLog({ abi: Contract.abi, topics: log.topics, data: log.data });
  return fromHex(args.payload.slice(2));
}

function asHex(bytes: Uint8Array): Hex {
  return `0x${toHex(bytes)}`;
}
