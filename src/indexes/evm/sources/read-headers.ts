import type { EvmHeader } from '../../../avalanche/evm/blocks/block.js';
import { EvmError } from '../../../avalanche/evm/evm.error.js';
import type { EvmClient } from '../../../avalanche/evm/rpc/evm-client.js';
import type { HeightRange } from '../../engine/coverage/height-range.js';

/** A node as far as headers go. */
export interface HeaderNode {
  readonly client: Pick<EvmClient, 'getBlockHeaders'>;
}

/** In ascending order. Throws EvmError BLOCK_UNAVAILABLE where the node lacks one. */
export async function readHeaders(
  { client }: HeaderNode,
  { from, to }: HeightRange,
  signal: AbortSignal,
): Promise<EvmHeader[]> {
  const heights = Array.from({ length: Number(to - from) + 1 }, (_, offset) => from + BigInt(offset));
  const headers = await client.getBlockHeaders({ heights, signal });
  return headers.map((header, index) => {
    if (header !== undefined) return header;
    throw new EvmError('BLOCK_UNAVAILABLE', `the node does not have block ${heights[index]}`);
  });
}
