import { EvmError } from '../../../avalanche/evm/evm.error.js';
import type { Hash } from '../../../avalanche/evm/rpc/hex-values.js';
import type { Checkpoint } from '../facets/checkpoint.js';
import type { FacetTarget } from '../facets/facet-source.js';
import { type HeaderNode, readHeaders } from './read-headers.js';

/**
 * The hash that proves the last block of a stretch: its own on record, when it is made again; else what the block above names as its parent,
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
  const [header] = await readHeaders(node, { from: above.height, to: above.height }, signal);
  if (header?.hash === above.hash) return header.parentHash;
  const message = `block ${above.height} is ${header?.hash}, the index has ${above.hash} there`;
  throw new EvmError('WRONG_PARENT', message);
}
