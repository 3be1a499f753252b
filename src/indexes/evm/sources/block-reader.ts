import { greatest, least } from '../../../avalanche/bigints.js';
import { assertChain, type EvmBlock, type EvmHeader } from '../../../avalanche/evm/blocks/block.js';
import type { EvmClient } from '../../../avalanche/evm/rpc/evm-client.js';
import { EvmError } from '../../../avalanche/evm/evm.error.js';
import type { Hash } from '../../../avalanche/evm/rpc/hex-values.js';
import { type BlockWithMovements, readMovements } from '../../../avalanche/evm/transfers/movement-reader.js';
import type { TokenMetadata } from '../../../avalanche/evm/transfers/token-metadata.js';
import type { HeightRange } from '../../engine/coverage/height-range.js';
import { BatchSize } from './batch-size.js';
import type { BlockRef } from '../facets/checkpoint.js';
import type { ChainMintRules } from './chain-mint-rules.js';
import type { TokenReader } from './token-reader.js';

export interface ReadBatch {
  /** In ascending order, each the child of the one before. */
  readonly blocks: readonly BlockWithMovements[];
  readonly tokens: readonly TokenMetadata[];
}

export interface ReadLimits {
  /** No further batch is begun after this time. */
  readonly until: number;
  readonly signal: AbortSignal;
}

/** Reads a chain's blocks in batches, the next one while the last is made use of. */
export class BlockReader {
  private readonly size: BatchSize;

  constructor(
    private readonly tokens: Pick<TokenReader, 'readNew'>,
    private readonly rules: Pick<ChainMintRules, 'read' | 'knowsGenesis'>,
    maxBlocks: number,
  ) {
    this.size = new BatchSize(maxBlocks);
  }

  /** Whether it knows the content of the first block. */
  knowsGenesis(): Promise<boolean> {
    return this.rules.knowsGenesis();
  }

  /**
   * Upwards from above the parent. Ends early when the node has no more, or the time is up.
   * Throws RpcError for what the node could not answer, EvmError for what it answered wrongly.
   */
  async *upwards(
    client: EvmClient,
    { from, to }: HeightRange,
    parent: BlockRef | undefined,
    limits: ReadLimits,
  ): AsyncGenerator<ReadBatch, void> {
    let last = parent;
    const next = (height: bigint): HeightRange | undefined => {
      const end = height + this.size.current - 1n;
      return height > to ? undefined : { from: height, to: least(end, to) };
    };
    const batches = this.prefetch(
      client,
      next(from),
      ({ blocks }) => next(heightOf(blocks.at(-1)) + 1n),
      limits,
    );
    for await (const batch of batches) {
      assertChain(headersOf(batch), last);
      last = batch.blocks.at(-1)?.block;
      yield batch;
    }
  }

  /**
   * Downwards from a stretch's end: each batch is proved by the one above it, the first by `lastHash` where that is known, and the
   * lowest by the block beneath it, where that is on record. Throws as `upwards`, and BLOCK_UNAVAILABLE for what a node lacks.
   */
  async *downwards(
    client: EvmClient,
    { from, to }: HeightRange,
    { lastHash, parent }: { lastHash: Hash | undefined; parent: BlockRef | undefined },
    limits: ReadLimits,
  ): AsyncGenerator<ReadBatch, void> {
    let expected = lastHash;
    const next = (height: bigint): HeightRange | undefined => {
      const start = height - this.size.current + 1n;
      return height < from ? undefined : { from: greatest(start, from), to: height };
    };
    const batches = this.prefetch(client, next(to), ({ blocks }) => next(heightOf(blocks[0]) - 1n), limits);
    let height = to;
    for await (const batch of batches) {
      const headers = headersOf(batch);
      const [first, last] = [headers[0], headers.at(-1)];
      if (first === undefined || last?.height !== height) {
        throw new EvmError('BLOCK_UNAVAILABLE', `the node does not have block ${height}`);
      }
      assertChain(headers, first.height === from ? parent : undefined);
      if (expected !== undefined && last.hash !== expected) {
        const message = `block ${height} is ${last.hash}, the block above it follows ${expected}`;
        throw new EvmError('WRONG_PARENT', message);
      }
      expected = first.parentHash;
      height = first.height - 1n;
      yield batch;
    }
  }

  /** One batch is fetched while the one before is looked at. Ends with an empty batch. */
  private async *prefetch(
    client: EvmClient,
    first: HeightRange | undefined,
    after: (batch: ReadBatch) => HeightRange | undefined,
    { until, signal }: ReadLimits,
  ): AsyncGenerator<ReadBatch, void> {
    // Who leaves in between must not leave a request behind that goes on in the background.
    const left = new AbortController();
    const combined = AbortSignal.any([signal, left.signal]);
    try {
      let fetching = first === undefined ? undefined : this.fetch(client, first, combined);
      while (fetching !== undefined) {
        const batch: ReadBatch = await fetching;
        if (batch.blocks.length === 0) return;
        const next = performance.now() >= until ? undefined : after(batch);
        fetching = next === undefined ? undefined : this.fetch(client, next, combined);
        fetching?.catch(() => undefined); // looked at in the next turn, if there is one
        yield batch;
      }
    } finally {
      left.abort();
    }
  }

  private async fetch(client: EvmClient, { from, to }: HeightRange, signal: AbortSignal): Promise<ReadBatch> {
    const startedAt = performance.now();
    const rules = await this.rules.read(client, signal);
    const blocks = await readMovements({
      client,
      traces: 'off',
      rules,
      fromHeight: from,
      toHeight: to,
      signal,
    });
    const tokens = await this.tokens.readNew(client, blocks, signal);
    const rows = blocks.reduce((sum, { movements }) => sum + movements.length, 0);
    const bytes = blocks.reduce((sum, { block }) => sum + bytesOfLogs(block), 0);
    this.size.note({ blocks: blocks.length, rows, bytes, tookMs: performance.now() - startedAt });
    return { blocks, tokens };
  }
}

function bytesOfLogs({ transactions }: EvmBlock): number {
  let digits = 0;
  for (const { logs } of transactions) for (const { data } of logs) digits += data.length;
  return digits / 2;
}

function headersOf({ blocks }: ReadBatch): EvmHeader[] {
  return blocks.map(({ block }) => block);
}

function heightOf(block: BlockWithMovements | undefined): bigint {
  if (block === undefined) throw new RangeError('an empty batch has no height');
  return block.block.height;
}
