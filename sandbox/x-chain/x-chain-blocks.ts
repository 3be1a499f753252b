import type { Id } from '../../src/avalanche/platformvm/ids.js';
import { containerId, wrapBlock } from '../../src/avalanche/platformvm/codec/proposervm.js';
import { sha256Id } from '../../src/avalanche/platformvm/codec/sha256.js';
import type { ChainBlocks, ServedBlock } from '../accepted-chain.js';
import { BlockIds } from '../block-ids.js';
import type { RecordedXChain } from './recorded-x-chain.js';

/** Of a block: after the codec version, the type id, the parent's id and the height. */
const TIME_OFFSET = 46;

/**
 * The chain's blocks in the envelopes that all but block 0 have on real nodes. avm.getBlock gives none, so none were recorded: these are
 * such as anybody may propose, without certificate and signature.
 */
export class XChainBlocks implements ChainBlocks {
  /** Read when they are first needed: most sandboxes are never asked. */
  private readonly blockIds = new BlockIds();
  private readonly containerIds = new BlockIds();

  constructor(private readonly recorded: RecordedXChain) {}

  at(height: bigint): ServedBlock | undefined {
    this.readIds();
    const bytes = this.recorded.block(height);
    return bytes && { height, bytes, container: this.envelop(bytes, Number(height)) };
  }

  byId(id: Id): ServedBlock | undefined {
    return this.lookUp(this.blockIds, id);
  }

  byContainerId(id: Id): ServedBlock | undefined {
    const block = this.lookUp(this.containerIds, id);
    return block?.container == null ? undefined : block;
  }

  containerIdAt(height: bigint): Id | undefined {
    this.readIds();
    return this.containerIds.at(Number(height));
  }

  private lookUp(ids: BlockIds, id: Id): ServedBlock | undefined {
    this.readIds();
    const height = ids.heightOf(id);
    return height === undefined ? undefined : this.at(BigInt(height));
  }

  private readIds(): void {
    for (let height = this.blockIds.length; height <= this.recorded.height; height++) {
      const bytes = this.recorded.block(BigInt(height));
      if (bytes === undefined) throw new RangeError(`block ${height} is missing`);
      this.blockIds.add(sha256Id(bytes));
      this.containerIds.add(containerId(this.envelop(bytes, height) ?? bytes));
    }
  }

  private envelop(inner: Uint8Array, height: number): Uint8Array | null {
    const parentId = this.containerIds.at(height - 1);
    if (parentId === undefined) return null;
    return wrapBlock({
      type: 'block',
      parentId,
      timestamp: new DataView(inner.buffer, inner.byteOffset).getBigUint64(TIME_OFFSET),
      pChainHeight: 0n,
      certificate: new Uint8Array(),
      inner,
      epoch: null,
      signature: new Uint8Array(),
    });
  }
}
