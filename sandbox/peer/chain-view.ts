import type { Id } from '../../src/avalanche/platformvm/ids.js';
import type { AcceptedChain } from '../accepted-chain.js';
import type { ChainBehaviour } from '../chain-behaviour.js';

/** Of an answer, each container counted with four bytes more (avalanchego v1.15.0 constants.MaxContainersLen: 4/5 of 2 MiB). */
const MAX_ANCESTORS_BYTES = Math.floor((4 * 2 * 1024 * 1024) / 5);
const LENGTH_BYTES = 4;

/** A block, and whether it was named by the id of its container: blocks before it are given as it is. */
interface Place {
  readonly height: bigint;
  readonly isWrapped: boolean;
}

/**
 * One chain as one node has it. Nodes know blocks by both ids, that of the container and that of the block in it (avalanchego v1.15.0
 * vms/proposervm/vm.go, getBlock), but accepted are only containers, and block 0.
 */
export class ChainView {
  constructor(
    private readonly chain: AcceptedChain,
    private readonly behaviour: ChainBehaviour,
  ) {}

  /** Of the last block. */
  get height(): bigint {
    const { chain, behaviour } = this;
    const lag = behaviour.kind === 'stale' ? BigInt(behaviour.lagBlocks) : 0n;
    return chain.acceptedHeight > lag ? chain.acceptedHeight - lag : 0n;
  }

  /** Of the last container. */
  get lastId(): Id {
    const id = this.chain.blocks.containerIdAt(this.height);
    if (id === undefined) throw new RangeError('a chain has at least block 0');
    return id;
  }

  find(id: Id): Place | undefined {
    const { blocks } = this.chain;
    const container = blocks.byContainerId(id);
    const block = container ?? blocks.byId(id);
    if (block === undefined || !this.has(block.height)) return undefined;
    return { height: block.height, isWrapped: container !== undefined };
  }

  isAccepted(id: Id): boolean {
    const place = this.find(id);
    return place !== undefined && this.chain.blocks.containerIdAt(place.height) === id;
  }

  /** Of the container at that height, or undefined where the node has none. */
  containerIdAt(height: bigint): Id | undefined {
    return this.has(height) ? this.chain.blocks.containerIdAt(height) : undefined;
  }

  /** The block and those before it, as far down as fits into one answer; always at least one. */
  ancestors({ height, isWrapped }: Place, maxContainers: number): Uint8Array[] {
    const ancestors: Uint8Array[] = [];
    let size = 0;
    for (let at = height; this.has(at) && ancestors.length < maxContainers; at--) {
      const container = this.containerAt({ height: at, isWrapped });
      size += container.length + LENGTH_BYTES;
      if (size > MAX_ANCESTORS_BYTES && ancestors.length > 0) break;
      ancestors.push(container);
    }
    return ancestors;
  }

  private containerAt({ height, isWrapped }: Place): Uint8Array {
    const block = this.chain.blocks.at(height);
    if (block === undefined) throw new RangeError(`block ${height} is missing`);
    return isWrapped ? (block.container ?? block.bytes) : block.bytes;
  }

  private has(height: bigint): boolean {
    const { behaviour } = this;
    if (height < 0n || height > this.height) return false;
    return behaviour.kind !== 'hole' || height < behaviour.fromHeight || height > behaviour.toHeight;
  }
}
