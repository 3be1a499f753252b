import { assertChain, type EvmHeader } from '../../../avalanche/evm/blocks/block.js';
import { EvmError } from '../../../avalanche/evm/evm.error.js';
import type { EvmChain } from '../../../platform/evm-chains/evm-chain.js';
import type { HeightRange } from '../../engine/coverage/height-range.js';
import { atomicBatch } from '../rows/atomic-rows.js';
import type { ReadLimits } from './block-reader.js';
import type { Checkpoint } from '../facets/checkpoint.js';
import type { EarlierExports } from './earlier-exports.js';
import type { EvmIndexRepository } from '../rows/evm-index.repository.js';
import type { EvmNode, EvmNodes } from './evm-node.js';
import type { FacetSource } from '../facets/facet-source.js';
import { ATOMIC } from '../facets/facets.js';

const BLOCKS_AT_ONCE = 1_000n;

/** Imports and exports of blocks that were indexed before those were: one call a block, without transactions and receipts. */
export class AtomicSource implements FacetSource {
  readonly facet = ATOMIC;

  constructor(
    private readonly chain: EvmChain,
    private readonly repository: EvmIndexRepository,
    readonly nodes: EvmNodes,
    private readonly earlier?: EarlierExports,
  ) {}

  async *read(node: EvmNode, range: HeightRange, _: Checkpoint, { until, signal }: ReadLimits) {
    for (let { to } = range; to >= range.from && Date.now() < until;) {
      const start = to - BLOCKS_AT_ONCE + 1n;
      const from = start > range.from ? start : range.from;
      const headers = await readHeaders(node, { from, to }, signal);
      await this.assertOurs(headers);
      yield { facets: [atomicBatch(this.chain, headers)] };
      to = from - 1n;
    }
  }

  async has(node: EvmNode, height: bigint, signal: AbortSignal): Promise<boolean> {
    return (await node.hashAt(height, signal)) !== undefined;
  }

  async idle(signal: AbortSignal): Promise<boolean> {
    return (await this.earlier?.check(signal)) ?? false;
  }

  /** They follow one another, and the last one is the block on record. */
  private async assertOurs(headers: readonly EvmHeader[]): Promise<void> {
    assertChain(headers);
    const last = headers.at(-1);
    if (last === undefined) return;
    const known = await this.repository.findBlock(this.chain, last.height);
    if (known?.hash === last.hash) return;
    const message = `block ${last.height} is ${last.hash}, the index has ${known?.hash ?? 'none'} there`;
    throw new EvmError('WRONG_PARENT', message);
  }
}

async function readHeaders(
  node: EvmNode,
  { from, to }: HeightRange,
  signal: AbortSignal,
): Promise<EvmHeader[]> {
  const heights = Array.from({ length: Number(to - from) + 1 }, (_, offset) => from + BigInt(offset));
  const headers = await node.client.getBlockHeaders({ heights, signal });
  return headers.map((header, index) => {
    if (header !== undefined) return header;
    throw new EvmError('BLOCK_UNAVAILABLE', `the node does not have block ${heights[index]}`);
  });
}
