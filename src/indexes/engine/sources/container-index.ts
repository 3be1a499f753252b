import { z } from 'zod';
import type { JsonRpcClient } from '../../../avalanche/rpc/json-rpc-client.js';
import { RpcHexSchema, Uint64Schema } from '../../../avalanche/rpc/schemas.js';
import { readAhead } from './read-ahead.js';
import type { Throttle } from './throttle.js';

/** avalanchego v1.15.0 indexer/index.go MaxFetchedByRange. */
const MAX_CONTAINERS_PER_CALL = 1_024n;
/** One call brings many containers: more at a time only fill memory. */
const MAX_CONCURRENT_CALLS = 2;
const MAX_CALLS_AHEAD = 4;
const MAX_BYTES_AHEAD = 32 * 1024 * 1024;

const LastSchema = z.object({ index: Uint64Schema });
const ContainersSchema = z.object({
  containers: z
    .array(z.object({ bytes: RpcHexSchema, index: Uint64Schema }))
    .max(Number(MAX_CONTAINERS_PER_CALL))
    .nullable(),
});

/** A node's index of what a chain has accepted (flag `--index-enabled`), in order, about a thousand containers a call. */
export class ContainerIndex {
  constructor(
    private readonly rpc: JsonRpcClient,
    private readonly throttle: Throttle,
    /** E.g. `/ext/index/P/block`. */
    private readonly path: string,
  ) {}

  /** Throws RpcError. */
  async lastIndex(signal: AbortSignal): Promise<bigint> {
    const { index } = await this.call('getLastAccepted', { encoding: 'hex' }, LastSchema, signal);
    return index;
  }

  /** Those from `from` on and below `end`; undefined when the index answers with others. Throws RpcError. */
  async get(from: bigint, end: bigint, signal: AbortSignal): Promise<Uint8Array[] | undefined> {
    const params = { startIndex: from.toString(), numToFetch: (end - from).toString(), encoding: 'hex' };
    const { containers } = await this.call('getContainerRange', params, ContainersSchema, signal);
    const isAsAsked =
      containers?.length === Number(end - from) &&
      containers.every(({ index }, position) => index === from + BigInt(position));
    return isAsAsked ? containers.map(({ bytes }) => bytes) : undefined;
  }

  /** Result of `fetch` for one range of indices after the other, from `from` on and below `end`. */
  ranges<T>(
    { from, end, signal }: { from: bigint; end: bigint; signal: AbortSignal },
    fetch: (from: bigint, end: bigint, signal: AbortSignal) => Promise<T>,
    sizeOf: (fetched: T) => number,
  ): AsyncGenerator<T, void> {
    let next = from;
    return readAhead({
      next: (abortion) => {
        if (next >= end) return undefined;
        const first = next;
        next = first + MAX_CONTAINERS_PER_CALL < end ? first + MAX_CONTAINERS_PER_CALL : end;
        return fetch(first, next, abortion);
      },
      sizeOf,
      concurrency: () => Math.min(MAX_CONCURRENT_CALLS, this.throttle.concurrency),
      maxItems: MAX_CALLS_AHEAD,
      maxBytes: MAX_BYTES_AHEAD,
      signal,
    });
  }

  private call<T>(name: string, params: object, schema: z.ZodType<T>, signal: AbortSignal): Promise<T> {
    const request = { path: this.path, method: `index.${name}`, params, schema, signal };
    return this.throttle.ask(() => this.rpc.call(request), signal);
  }
}
