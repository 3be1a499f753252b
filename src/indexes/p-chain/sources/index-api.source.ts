import { unwrapBlock } from '../../../avalanche/platformvm/codec/proposervm.js';
import type { JsonRpcClient } from '../../../avalanche/rpc/json-rpc-client.js';
import { RpcError } from '../../../avalanche/rpc/rpc.error.js';
import { type BlockSource, SourceUnusableError } from '../../engine/sources/block-source.js';
import { ContainerIndex } from '../../engine/sources/container-index.js';
import { isTransient, type Throttle } from '../../engine/sources/throttle.js';

/** The genesis block is no container, and must not be asked for. */
const HEIGHT_OF_FIRST_CONTAINER = 1n;

/**
 * The node's index of accepted containers (flag `--index-enabled`), about a thousand blocks a call. Only a node that had the
 * flag from its first start counts containers by height, so the indices are checked, and the heights later with the blocks.
 */
export class IndexApiSource implements BlockSource {
  private readonly index: ContainerIndex;

  constructor(rpc: JsonRpcClient, throttle: Throttle) {
    this.index = new ContainerIndex(rpc, throttle, '/ext/index/P/block');
  }

  async *fetch(from: bigint, to: bigint, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
    const batches = this.index.ranges(
      { from: indexOf(from), end: indexOf(to) + 1n, signal },
      (first, end, abortion) => this.fetchRange(first, end, abortion),
      (blocks) => blocks.reduce((size, { length }) => size + length, 0),
    );
    for await (const blocks of batches) yield* blocks;
  }

  /** Halves the range when the answer was too large, or not to be understood. */
  private async fetchRange(first: bigint, end: bigint, signal: AbortSignal): Promise<Uint8Array[]> {
    try {
      return await this.get(first, end, signal);
    } catch (error) {
      if (!(error instanceof RpcError) || isTransient(error)) throw error;
      const isOne = first + 1n === end;
      if (isOne || error.code !== 'NODE_BAD_RESPONSE' || error.facts.httpStatus !== undefined) {
        throw new SourceUnusableError(error.message, { cause: error });
      }
    }
    const middle = (first + end) / 2n;
    const lower = await this.fetchRange(first, middle, signal);
    return [...lower, ...(await this.fetchRange(middle, end, signal))];
  }

  private async get(first: bigint, end: bigint, signal: AbortSignal): Promise<Uint8Array[]> {
    const containers = await this.index.get(first, end, signal);
    if (containers !== undefined) return containers.map((bytes) => unwrapBlock(bytes).inner);
    throw new SourceUnusableError('the index does not hold the blocks of these heights');
  }
}

function indexOf(height: bigint): bigint {
  return height - HEIGHT_OF_FIRST_CONTAINER;
}
