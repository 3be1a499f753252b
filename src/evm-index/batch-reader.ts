import { assertChain } from '../avalanche/evm/block.js';
import type { TraceSource } from '../avalanche/evm/block-tracer.js';
import { EvmError } from '../avalanche/evm/evm.error.js';
import { type BlockWithMovements, readMovements } from '../avalanche/evm/movement-reader.js';
import type { TokenMetadata } from '../avalanche/evm/token-metadata.js';
import type { EvmChain } from '../evm-chains/evm-chain.js';
import { BatchSize } from './batch-size.js';
import type { BlockRef } from './checkpoint.js';
import type { EvmNode } from './evm-node.js';
import type { TokenReader } from './token-reader.js';

/** Blocks to read, and the blocks that they must lie between as far as those are known. */
export interface Segment {
  readonly from: bigint;
  readonly to: bigint;
  readonly parent: BlockRef | undefined;
  readonly next: BlockRef | undefined;
}

export interface ReadBatch {
  readonly blocks: readonly BlockWithMovements[];
  readonly tokens: readonly TokenMetadata[];
}

/** Reads a chain's blocks in batches, the next one while the last is made use of. */
export class BatchReader {
  private readonly size: BatchSize;

  constructor(
    private readonly chain: Pick<EvmChain, 'traces'>,
    private readonly tokens: Pick<TokenReader, 'readNew'>,
    /** Of any node of the chain, not only of the one that blocks are read from. */
    private readonly tracer: TraceSource,
    maxBlocks: number,
  ) {
    this.size = new BatchSize(maxBlocks);
  }

  /**
   * The segment's blocks in order, each the child of the one before. Ends early when the node has no more, or the time is up.
   * Throws RpcError for what the node could not answer, EvmError for what it answered wrongly.
   */
  async *read(
    node: EvmNode,
    segment: Segment,
    { until, signal }: { until: number; signal: AbortSignal },
  ): AsyncGenerator<ReadBatch, void> {
    // Who leaves in between must not leave a request behind that goes on in the background.
    const left = new AbortController();
    const combined = AbortSignal.any([signal, left.signal]);
    let fetching = this.fetch(node, segment.from, segment.to, combined);
    let { parent } = segment;
    try {
      for (;;) {
        const batch = await fetching;
        const last = batch.blocks.at(-1)?.block;
        if (last === undefined) return;
        const isComplete = last.height >= segment.to;
        const isLast = isComplete || Date.now() >= until;
        if (!isLast) {
          fetching = this.fetch(node, last.height + 1n, segment.to, combined);
          fetching.catch(() => undefined); // looked at in the next turn, if there is one
        }
        assertChain(
          batch.blocks.map(({ block }) => block),
          parent,
        );
        if (isComplete && segment.next !== undefined)
          await assertFollowedBy(node, last, segment.next, signal);
        yield batch;
        if (isLast) return;
        parent = last;
      }
    } finally {
      left.abort();
    }
  }

  private async fetch(node: EvmNode, from: bigint, to: bigint, signal: AbortSignal): Promise<ReadBatch> {
    const { client } = node;
    const startedAt = performance.now();
    const end = from + BigInt(this.size.current) - 1n;
    const toHeight = end < to ? end : to;
    const { traces } = this.chain;
    const { tracer } = this;
    const blocks = await readMovements({ client, traces, tracer, fromHeight: from, toHeight, signal });
    const tokens = await this.tokens.readNew(client, blocks, signal);
    const rows = blocks.reduce((sum, { movements }) => sum + movements.length, 0);
    this.size.note({ blocks: blocks.length, rows, tookMs: performance.now() - startedAt });
    return { blocks, tokens };
  }
}

/** Where heights that were missing meet those that are there. */
async function assertFollowedBy(
  node: EvmNode,
  last: BlockRef,
  next: BlockRef,
  signal: AbortSignal,
): Promise<void> {
  const [header] = await node.client.getBlockHeaders({ heights: [next.height], signal });
  if (header === undefined) {
    throw new EvmError('BLOCK_UNAVAILABLE', `the node does not have block ${next.height}`);
  }
  assertChain([header], last);
  if (header.hash === next.hash) return;
  throw new EvmError(
    'WRONG_PARENT',
    `block ${header.height} is ${header.hash}, the index has ${next.hash} there`,
  );
}
