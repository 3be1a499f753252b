import { AvmError } from '../../../avalanche/avm/avm.error.js';
import { parseAvmTransaction } from '../../../avalanche/avm/codec/transaction.js';
import type { AvmTransaction } from '../../../avalanche/avm/transaction.js';
import type { JsonRpcClient } from '../../../avalanche/rpc/json-rpc-client.js';
import { isNotOffered } from '../../../avalanche/rpc/refusals.js';
import { RpcError } from '../../../avalanche/rpc/rpc.error.js';
import { ContainerIndex } from '../../engine/sources/container-index.js';
import type { Throttle } from '../../engine/sources/throttle.js';

interface Answer {
  readonly transactions: readonly AvmTransaction[];
  readonly bytes: number;
}

/**
 * The transactions of the time before blocks, in the order in which they were accepted: the node's index, which one has that got the
 * flag `--index-enabled` before it read the chain. Nothing has been added to it since the chain consists of blocks.
 */
export class TransactionIndexSource {
  private readonly index: ContainerIndex;

  constructor(rpc: JsonRpcClient, throttle: Throttle) {
    this.index = new ContainerIndex(rpc, throttle, '/ext/index/X/tx');
  }

  /** How many there are; null for a node that has no such index, or has accepted nothing into it. */
  async count(signal: AbortSignal): Promise<bigint | null> {
    try {
      return (await this.index.lastIndex(signal)) + 1n;
    } catch (error) {
      if (!(error instanceof RpcError) || !isNotOffered(error)) throw error;
      return null;
    }
  }

  /** From `from` on and below `end`. Throws RpcError and AvmError. */
  async *read(from: bigint, end: bigint, signal: AbortSignal): AsyncGenerator<AvmTransaction, void> {
    const answers = this.index.ranges(
      { from, end, signal },
      (first, last, abortion) => this.fetch(first, last, abortion),
      ({ bytes }) => bytes,
    );
    for await (const { transactions } of answers) yield* transactions;
  }

  private async fetch(first: bigint, end: bigint, signal: AbortSignal): Promise<Answer> {
    const containers = await this.index.get(first, end, signal);
    if (containers === undefined) {
      throw new AvmError('MALFORMED', `the index does not hold the transactions from ${first} on`);
    }
    return {
      transactions: containers.map(parseAvmTransaction),
      bytes: containers.reduce((sum, { length }) => sum + length, 0),
    };
  }
}
