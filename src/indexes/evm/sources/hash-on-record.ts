import { EvmError } from '../../../avalanche/evm/evm.error.js';
import type { EvmClient } from '../../../avalanche/evm/rpc/evm-client.js';
import type { Hash } from '../../../avalanche/evm/rpc/hex-values.js';
import type { Checkpoint } from '../facets/checkpoint.js';
import type { FacetTarget } from '../facets/facet-source.js';

/** A node as far as headers go. */
export interface HeaderNode {
  readonly client: Pick<EvmClient, 'getBlockHeaders'>;
}

/**
 * What proves the last block of a stretch: itself on record, when it is made again; else what the block above names as its parent,
 * where that one is on record. Throws EvmError WRONG_PARENT and BLOCK_UNAVAILABLE.
 */
export async function hashOnRecord(
  node: HeaderNode,
  height: bigint,
  checkpoint: Checkpoint,
  findBlock: FacetTarget['findBlock'],
  signal: AbortSignal,
): Promise<Hash | undefined> {
  if (height === checkpoint.height) return checkpoint.hash;
  const known = await findBlock(height);
  if (known !== undefined) return known.hash;
  const above = height + 1n === checkpoint.height ? checkpoint : await findBlock(height + 1n);
  if (above === undefined) return undefined;
  const [header] = await node.client.getBlockHeaders({ heights: [above.height], signal });
  if (header === undefined) {
    throw new EvmError('BLOCK_UNAVAILABLE', `the node does not have block ${above.height}`);
  }
  if (header.hash === above.hash) return header.parentHash;
  const message = `block ${above.height} is ${header.hash}, the index has ${above.hash} there`;
  throw new EvmError('WRONG_PARENT', message);
}
