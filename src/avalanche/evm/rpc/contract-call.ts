import { isTooLarge } from '../../rpc/refusals.js';
import type { EvmCall, EvmCallOutcome } from './batch-rpc-client.js';
import { isExecutionFailure } from './evm-rejections.js';
import { type Address, type Hex, readData } from './hex-values.js';

export interface ContractCall {
  readonly to: Address;
  readonly data: Hex;
}

/** Data that are run as the code of a contract that is being created; what it returns is the answer. */
export type CodeCall = Pick<ContractCall, 'data'> & { readonly to?: undefined };

/** Answer of a contract; `failed` when it reverted, ran out of gas, or answered with more than we read. */
export type ContractAnswer =
  | { readonly status: 'returned'; readonly data: Hex }
  | { readonly status: 'failed'; readonly reason: string; readonly isTooLarge?: boolean };

/** The node itself could not answer: nothing is known of the contract. */
export interface Unanswered {
  readonly status: 'unanswered';
  readonly reason: string;
}

/** `tag`: of the block upon whose state it is called. */
export function contractCall({ to, data }: ContractCall | CodeCall, tag: string): EvmCall<Hex> {
  const parse = (result: unknown) => readData(result, 'result of eth_call');
  return { method: 'eth_call', params: [{ to, data }, tag], parse };
}

export function contractAnswer(outcome: EvmCallOutcome<Hex>): ContractAnswer | Unanswered {
  if (outcome.ok) return { status: 'returned', data: outcome.value };
  const { reason } = outcome.error;
  if (isTooLarge(outcome.error)) return { status: 'failed', reason, isTooLarge: true };
  return { status: isExecutionFailure(outcome.error) ? 'failed' : 'unanswered', reason };
}
