import { z } from 'zod';
import { unwrapBlock } from '../../avalanche/platformvm/codec/proposervm.js';
import type { JsonRpcClient } from '../../avalanche/rpc/json-rpc-client.js';
import { RpcError } from '../../avalanche/rpc/rpc.error.js';
import { RpcHexSchema, Uint64Schema } from '../../avalanche/rpc/schemas.js';
import { type BlockSource, SourceUnusableError } from '../../indexing/sources/block-source.js';
import { readAhead } from '../../indexing/sources/read-ahead.js';
import { isTransient, type Throttle } from '../../indexing/sources/throttle.js';

const INDEX_PATH = '/ext/index/P/block';
/** avalanchego v1.14.2 indexer/index.go MaxFetchedByRange. */
const MAX_CONTAINERS_PER_CALL = 1_024;
/** The genesis block is no container, and must not be asked for. */
const HEIGHT_OF_FIRST_CONTAINER = 1n;
/** One call brings many blocks: more at a time only fill memory. */
const MAX_CONCURRENT_CALLS = 2;
const MAX_CALLS_AHEAD = 4;
const MAX_BYTES_AHEAD = 32 * 1024 * 1024;

const ContainersSchema = z.object({
  containers: z
    .array(z.object({ bytes: RpcHexSchema, index: Uint64Schema }))
    .max(MAX_CONTAINERS_PER_CALL)
    .nullable(),
});

/**
 * The node's index of accepted containers (flag `--index-enabled`), about a thousand blocks a call. Only a node that had the
 * flag from its first start counts containers by height, so the indices are checked, and the heights later with the blocks.
 */
export class IndexApiSource implements BlockSource {
  constructor(
    private readonly rpc: JsonRpcClient,
    private readonly throttle: Throttle,
  ) {}

  async *fetch(from: bigint, to: bigint, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
    let height = from;
    const batches = readAhead({
      next: (abortion) => {
        if (height > to) return undefined;
        const first = height;
        height += BigInt(Math.min(MAX_CONTAINERS_PER_CALL, Number(to - height) + 1));
        return this.fetchRange(first, height - 1n, abortion);
      },
      sizeOf: (blocks) => blocks.reduce((size, { length }) => size + length, 0),
      concurrency: () => Math.min(MAX_CONCURRENT_CALLS, this.throttle.concurrency),
      maxItems: MAX_CALLS_AHEAD,
      maxBytes: MAX_BYTES_AHEAD,
      signal,
    });
    for await (const blocks of batches) yield* blocks;
  }

  /** Halves the range when the answer was too large, or not to be understood. */
  private async fetchRange(from: bigint, to: bigint, signal: AbortSignal): Promise<Uint8Array[]> {
    try {
      return await this.call(from, to, signal);
    } catch (error) {
      if (!(error instanceof RpcError) || isTransient(error)) throw error;
      if (from === to || error.code !== 'NODE_BAD_RESPONSE' || error.facts.httpStatus !== undefined) {
        throw new SourceUnusableError(error.message, { cause: error });
      }
    }
    const middle = (from + to) / 2n;
    const lower = await this.fetchRange(from, middle, signal);
    return [...lower, ...(await this.fetchRange(middle + 1n, to, signal))];
  }

  private async call(from: bigint, to: bigint, signal: AbortSignal): Promise<Uint8Array[]> {
    const startIndex = from - HEIGHT_OF_FIRST_CONTAINER;
    const wanted = Number(to - from) + 1;
    const params = { startIndex: startIndex.toString(), numToFetch: String(wanted), encoding: 'hex' };
    const method = 'index.getContainerRange';
    const { containers } = await this.throttle.ask(
      () => this.rpc.call({ path: INDEX_PATH, method, params, schema: ContainersSchema, signal }),
      signal,
    );
    const isAsAsked =
      containers?.length === wanted &&
      containers.every(({ index }, position) => index === startIndex + BigInt(position));
    if (!isAsAsked) throw new SourceUnusableError('the index does not hold the blocks of these heights');
    return containers.map(({ bytes }) => unwrapBlock(bytes).inner);
  }
}
