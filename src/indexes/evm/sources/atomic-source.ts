import { greatest } from '../../../avalanche/bigints.js';
import { assertChain, type EvmHeader } from '../../../avalanche/evm/blocks/block.js';
import { EvmError } from '../../../avalanche/evm/evm.error.js';
import type { Hash } from '../../../avalanche/evm/rpc/hex-values.js';
import type { EvmChain } from '../../../platform/evm-chains/evm-chain.js';
import type { HeightRange } from '../../engine/coverage/height-range.js';
import { readAhead } from '../../engine/sources/read-ahead.js';
import { atomicBatch } from '../rows/atomic-rows.js';
import type { ReadLimits } from './block-reader.js';
import { type BlockRef, type Checkpoint, FROM_GENESIS, wantedBlocks } from '../facets/checkpoint.js';
import type { EarlierExports } from './earlier-exports.js';
import type { EvmNode, EvmNodes } from './evm-node.js';
import type { FacetSource, FacetTarget } from '../facets/facet-source.js';
import { ATOMIC } from '../facets/facets.js';
import { hashOnRecord } from './hash-on-record.js';
import { type HeaderNode, readHeaders } from './read-headers.js';

/** Most blocks have none: few transactions of many blocks. */
const BLOCKS_AT_ONCE = 2_000n;
/** That are fetched while one is written: a node is never without a request. */
const STRETCHES_AT_ONCE = 2;
/** A stretch may be read again from where either of two is that were read, and not written. */
const KEPT_LINKS = STRETCHES_AT_ONCE + 1;

/**
 * Imports and exports of a C-chain from its first block on, from headers alone. Each stretch is proved by the one above it, and by
 * blocks on record where there are some: at the tip, of the index of blocks, and the genesis.
 */
export class AtomicSource implements FacetSource {
  readonly facet = ATOMIC;
  /** Of blocks that stretches were read up from: what they name as their parents. */
  private links: readonly BlockRef[] = [];

  constructor(
    private readonly chain: EvmChain,
    readonly nodes: EvmNodes,
    private readonly earlier?: EarlierExports,
  ) {}

  wanted(checkpoint: Checkpoint): HeightRange[] {
    return wantedBlocks(FROM_GENESIS, checkpoint);
  }

  async *read(
    node: HeaderNode,
    range: HeightRange,
    checkpoint: Checkpoint,
    limits: ReadLimits,
    findBlock: FacetTarget['findBlock'],
  ) {
    const beneath = range.from === 0n ? undefined : await findBlock(range.from - 1n);
    let expected =
      (await hashOnRecord(node, range.to, checkpoint, findBlock, limits.signal)) ?? this.linkTo(range.to);
    for await (const headers of headersDownwards(node, range, limits)) {
      const [first, last] = [headers[0], headers.at(-1)];
      if (first === undefined || last === undefined) return;
      assertChain(headers, first.height === range.from ? beneath : undefined);
      assertHash(last, expected, 'the block above it follows');
      if (first.height === 0n) assertHash(first, checkpoint.genesisHash ?? undefined, 'the index has');
      yield { facets: [atomicBatch(this.chain, headers)] };
      expected = first.parentHash;
      const link = { height: first.height - 1n, hash: expected };
      this.links = [link, ...this.links].slice(0, KEPT_LINKS);
    }
  }

  async has(node: EvmNode, height: bigint, signal: AbortSignal): Promise<boolean> {
    return (await node.hashAt(height, signal)) !== undefined;
  }

  async idle(signal: AbortSignal): Promise<boolean> {
    return (await this.earlier?.check(signal)) ?? false;
  }

  private linkTo(height: bigint): Hash | undefined {
    return this.links.find((link) => link.height === height)?.hash;
  }
}

function assertHash({ height, hash }: EvmHeader, expected: Hash | undefined, what: string): void {
  if (expected === undefined || hash === expected) return;
  throw new EvmError('WRONG_PARENT', `block ${height} is ${hash}, ${what} ${expected}`);
}

/** In stretches, the highest first. */
function headersDownwards(
  node: HeaderNode,
  { from, to }: HeightRange,
  { until, signal }: ReadLimits,
): AsyncGenerator<EvmHeader[], void> {
  let next = to;
  return readAhead({
    next: (abortion) => {
      if (next < from || performance.now() >= until) return undefined;
      const start = next - BLOCKS_AT_ONCE + 1n;
      const stretch = { from: greatest(start, from), to: next };
      next = stretch.from - 1n;
      return readHeaders(node, stretch, abortion);
    },
    sizeOf: ({ length }) => length,
    concurrency: () => STRETCHES_AT_ONCE,
    maxItems: STRETCHES_AT_ONCE,
    maxBytes: Infinity,
    signal,
  });
}
