import { fromHex } from '../ids/hex.js';
import type { Anchor } from './anchors.js';
import { AvalancheError } from '../avalanche.error.js';
import type { BlockServers } from './block-servers.js';
import { MisconductError } from './chain-sync.error.js';
import type { BlockLink, ContainerChain } from './container-chain.js';

/** So few blocks are asked for one by one: a node would read two thousand to answer with them. */
const FEW = 8n;

/** A segment takes too much memory, and is to be read in parts. */
export class SegmentTooLargeError extends Error {
  override readonly name = 'SegmentTooLargeError';
}

/**
 * Reads the blocks below an anchor, each proved by its hash: it is the parent that the one above it names. They are asked for
 * by their own ids, which nodes serve without containers: a quarter of the bytes.
 */
export class Segments {
  constructor(
    private readonly chain: ContainerChain,
    private readonly servers: BlockServers,
    private readonly maxBytes: number,
  ) {}

  /** The blocks from a height to the anchor, in order. Throws SegmentTooLargeError, ChainSyncError, or the signal's reason. */
  async read(from: bigint, anchor: Anchor, signal: AbortSignal): Promise<Uint8Array[]> {
    const blocks = [anchor.block];
    let bytes = anchor.block.length;
    let last: BlockLink = anchor;
    while (last.height > from) {
      const part = await this.readBelow(last, from, signal);
      for (const block of part.blocks) {
        blocks.push(block);
        bytes += block.length;
      }
      if (bytes > this.maxBytes && blocks.length > 1) throw new SegmentTooLargeError(`${bytes} bytes`);
      last = part.last;
    }
    return blocks.reverse();
  }

  private readBelow(last: BlockLink, from: bigint, signal: AbortSignal): Promise<Part> {
    const containerId = fromHex(last.parentId);
    if (last.height - from <= FEW) {
      return this.servers.ask({
        question: { kind: 'get', containerId },
        accept: (block) => this.take([block], last, from),
        signal,
      });
    }
    return this.servers.ask({
      question: { kind: 'getAncestors', containerId, engine: 'chain' },
      accept: (containers) => this.take(containers, last, from),
      signal,
    });
  }

  /** As many of the blocks as follow one another; undefined for an empty answer. Throws MisconductError. */
  private take(containers: readonly Uint8Array[], above: BlockLink, from: bigint): Part | undefined {
    const blocks: Uint8Array[] = [];
    let last = above;
    for (const block of containers) {
      if (last.height <= from) break;
      const link = this.linkBelow(block, last);
      if (link === undefined) break;
      blocks.push(block);
      last = link;
    }
    if (blocks.length > 0) return { blocks, last };
    if (containers.length === 0) return undefined;
    throw new MisconductError(`another block than ${above.parentId}`);
  }

  /** Undefined when it is not the parent. */
  private linkBelow(block: Uint8Array, above: BlockLink): BlockLink | undefined {
    try {
      const link = this.chain.linkOf(block);
      return link.id === above.parentId && link.height === above.height - 1n ? link : undefined;
    } catch (error) {
      if (error instanceof AvalancheError) return undefined;
      throw error;
    }
  }
}

interface Part {
  readonly blocks: readonly Uint8Array[];
  readonly last: BlockLink;
}
