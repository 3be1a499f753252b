import { decodeEventLog } from 'viem/utils';
import type { Address } from '../../../src/avalanche/evm/rpc/hex-values.js';
import { fromHex, toHex } from '../../../src/avalanche/ids/hex.js';
import { ValidatorManager as Contract } from '../contracts/artifacts.js';
import { callsOf } from '../contracts/calls.js';
import { callWithMessage, type EvmChain } from './evm-chain.js';
import { readWarpMessage } from './warp-log.js';

const CALLS = callsOf(Contract.abi);

/** The manager of an L1 on a chain of it. */
export interface Manager {
  readonly chain: EvmChain;
  readonly address: Address;
}

/** The unsigned message in which the manager sends the payload to the P-chain. */
export async function orderAsManager({ chain, address }: Manager, payload: Uint8Array): Promise<Uint8Array> {
  const data = CALLS.order(`0x${toHex(payload)}`);
  return readWarpMessage(await chain.wallet.run({ from: chain.funded, to: address, data }));
}

/** Resolves with the payload as the chain has verified it: the P-chain's message to the manager. */
export async function confirmToManager(
  { chain, address }: Manager,
  signedMessage: Uint8Array,
): Promise<Uint8Array> {
  const { logs } = await callWithMessage(chain, { to: address, data: CALLS.confirm(0), signedMessage });
  const [log] = logs;
  if (log === undefined) throw new Error('the manager has confirmed nothing');
  const { args } = decodeEventLog({ abi: Contract.abi, topics: log.topics, data: log.data });
  return fromHex(args.payload.slice(2));
}
