import { z } from 'zod';
import { AvmError } from '../../avalanche/avm/avm.error.js';
import { parseAvmTransaction } from '../../avalanche/avm/codec/transaction.js';
import type { AvmTransaction } from '../../avalanche/avm/transaction.js';
import type { JsonRpcClient } from '../../avalanche/rpc/json-rpc-client.js';
import { RpcError } from '../../avalanche/rpc/rpc.error.js';
import { RpcHexSchema, Uint64Schema } from '../../avalanche/rpc/schemas.js';
import { readAhead } from '../../indexing/sources/read-ahead.js';
import type { Throttle } from '../../indexing/sources/throttle.js';

const INDEX_PATH = '/ext/index/X/tx';
/** avalanchego v1.15.0 indexer/index.go MaxFetchedByRange. */
const MAX_CONTAINERS_PER_CALL = 1_024n;
/** One call brings many transactions: more at a time only fill memory. */
const MAX_CONCURRENT_CALLS = 2;
const MAX_CALLS_AHEAD = 4;
const MAX_BYTES_AHEAD = 32 * 1024 * 1024;
/** How a node answers that has no such index, or does not offer it. */
const NOT_OFFERED: ReadonlySet<number> = new Set([403, 404, 405]);

const LastSchema = z.object({ index: Uint64Schema });
const ContainersSchema = z.object({
  containers: z
    .array(z.object({ bytes: RpcHexSchema, index: Uint64Schema }))
    .max(Number(MAX_CONTAINERS_PER_CALL))
    .nullable(),
});

interface Answer {
  readonly transactions: readonly AvmTransaction[];
  readonly bytes: number;
}

/**
 * The transactions of the time before blocks, in the order in which they were accepted: the node's index, which one has that got the
 * flag `--index-enabled` before it read the chain. Nothing has been added to it since the chain consists of blocks.
 */
export class TransactionIndexSource {
  constructor(
    private readonly rpc: JsonRpcClient,
    private readonly throttle: Throttle,
  ) {}

  /** How many there are; null for a node that has no such index. */
  async count(signal: AbortSignal): Promise<bigint | null> {
    try {
      const { index } = await this.call('getLastAccepted', { encoding: 'hex' }, LastSchema, signal);
      return index + 1n;
    } catch (error) {
      if (!(error instanceof RpcError) || !isWithout(error)) throw error;
      return null;
    }
  }

  /** From `from` on and below `end`. Throws RpcError and AvmError. */
  async *read(from: bigint, end: bigint, signal: AbortSignal): AsyncGenerator<AvmTransaction, void> {
    let next = from;
    const answers = readAhead<Answer>({
      next: (abortion) => {
        if (next >= end) return undefined;
        const first = next;
        next = first + MAX_CONTAINERS_PER_CALL < end ? first + MAX_CONTAINERS_PER_CALL : end;
        return this.fetch(first, next, abortion);
      },
      sizeOf: ({ bytes }) => bytes,
      concurrency: () => Math.min(MAX_CONCURRENT_CALLS, this.throttle.concurrency),
      maxItems: MAX_CALLS_AHEAD,
      maxBytes: MAX_BYTES_AHEAD,
      signal,
    });
    for await (const { transactions } of answers) yield* transactions;
  }

  private async fetch(first: bigint, end: bigint, signal: AbortSignal): Promise<Answer> {
    const params = { startIndex: first.toString(), numToFetch: (end - first).toString(), encoding: 'hex' };
    const { containers } = await this.call('getContainerRange', params, ContainersSchema, signal);
    const isAsAsked =
      containers?.length === Number(end - first) &&
      containers.every(({ index }, position) => index === first + BigInt(position));
    if (!isAsAsked)
      throw new AvmError('MALFORMED', `the index does not hold the transactions from ${first} on`);
    return {
      transactions: containers.map(({ bytes }) => parseAvmTransaction(bytes)),
      bytes: containers.reduce((sum, { bytes }) => sum + bytes.length, 0),
    };
  }

  private call<T>(method: string, params: object, schema: z.ZodType<T>, signal: AbortSignal): Promise<T> {
    const request = { path: INDEX_PATH, method: `index.${method}`, params, schema, signal };
    return this.throttle.ask(() => this.rpc.call(request), signal);
  }
}

/** Rejected is one that is there and has accepted nothing. */
function isWithout(error: RpcError): boolean {
  return error.code === 'NODE_REJECTED' || NOT_OFFERED.has(error.facts.httpStatus ?? 0);
}
