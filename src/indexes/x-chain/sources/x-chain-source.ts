import { AvmError } from '../../../avalanche/avm/avm.error.js';
import { type AvmBlock, parseAvmBlock } from '../../../avalanche/avm/codec/block.js';
import { fromHex } from '../../../avalanche/ids/hex.js';
import { idToString } from '../../../avalanche/ids/id.js';
import type { Id } from '../../../avalanche/platformvm/ids.js';
import { type ChainNode, NodePool } from '../../engine/following/node-pool.js';

/** A block by its place. Before block 0 the id is that of the last transaction that was read, or of the chain. */
export interface XBlockRef {
  readonly height: bigint;
  readonly blockId: Id;
}

export interface XChainName {
  readonly networkId: number;
  readonly blockchainId: Id;
}

/** Where the index stands, and of which chain it is. */
export interface XChainPosition extends XBlockRef {
  readonly chain: XChainName;
}

/** Where X-chain blocks come from. Only what the blocks themselves prove is accepted. All methods reject with what `isNodeError` knows. */
export interface XChainSource extends ChainNode<XChainPosition> {
  getName(signal: AbortSignal): Promise<XChainName>;
  /** The bytes of one block. */
  getBytes(height: bigint, signal: AbortSignal): Promise<Uint8Array>;
  /**
   * The blocks above `after` up to a height that the source has accepted, each the child of the one before. The parent of block 0 is
   * no block, and different on each network.
   */
  readBlocks(after: XBlockRef, to: bigint, signal: AbortSignal): AsyncGenerator<AvmBlock, void>;
}

/** All sources of one network. */
export class XChainSources extends NodePool<XChainPosition, XChainSource> {}

/** Block by block from a height on, as a source gives them. Throws AvmError. */
export async function* linked(
  { height, blockId }: XBlockRef,
  blocks: AsyncIterable<Uint8Array>,
): AsyncGenerator<AvmBlock, void> {
  for await (const bytes of blocks) {
    height += 1n;
    const block = parseAt(bytes, height);
    if (height > 0n && block.parentId !== blockId) {
      const message = `block ${height} (${block.id}) follows ${block.parentId}, not ${blockId}`;
      throw new AvmError('WRONG_PARENT', message);
    }
    blockId = block.id;
    yield block;
  }
}

/** How a source's chain differs from ours: the words after `has` or `have`. Throws what its methods throw. */
export async function foreignBlock(
  source: Pick<XChainSource, 'getName' | 'getBytes'>,
  { height, blockId, chain }: XChainPosition,
  tip: bigint,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { networkId, blockchainId } = await source.getName(signal);
  if (networkId !== chain.networkId || blockchainId !== chain.blockchainId) {
    const [theirs, ours] = [blockchainId, chain.blockchainId].map((id) => idToString(fromHex(id)));
    return `the X-chain ${theirs} of network ${networkId}, the index has ${ours} of network ${chain.networkId}`;
  }
  if (height < 0n || tip < height) return undefined;
  const { id } = parseAt(await source.getBytes(height, signal), height);
  if (id === blockId) return undefined;
  return `block ${id} at height ${height}, the index has ${blockId}: the network was started anew`;
}

function parseAt(bytes: Uint8Array, height: bigint): AvmBlock {
  const block = parseAvmBlock(bytes);
  if (block.height === height) return block;
  throw new AvmError('WRONG_PARENT', `block ${block.height} came when ${height} was asked for`);
}
