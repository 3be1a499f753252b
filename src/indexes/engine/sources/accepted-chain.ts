import { least } from '../../../avalanche/bigints.js';
import { Anchors, type Anchor } from '../../../avalanche/chain-sync/anchors.js';
import { BlockServers } from '../../../avalanche/chain-sync/block-servers.js';
import { Checkpoints } from '../../../avalanche/chain-sync/checkpoints.js';
import { Acceptance, type KnownStake } from '../../../avalanche/chain-sync/acceptance.js';
import { ChainSyncError } from '../../../avalanche/chain-sync/chain-sync.error.js';
import type { ContainerChain } from '../../../avalanche/chain-sync/container-chain.js';
import { SegmentTooLargeError, Segments } from '../../../avalanche/chain-sync/segments.js';
import type { Logger } from '../../../avalanche/logger.js';
import type { ChainNetwork } from '../../../avalanche/p2p/network/chain-network.js';
import { type Id, PRIMARY_NETWORK } from '../../../avalanche/platformvm/ids.js';
import type { BlockSource } from './block-source.js';
import { readAhead } from './read-ahead.js';

/** Between two anchors. Each costs a vote, and an answer that goes beyond the segment's end. */
const SEGMENT_BLOCKS = 20_000n;
/** Of blocks; one that has more is read in halves. */
const MAX_SEGMENT_BYTES = 16 * 1024 * 1024;
/** A node is asked for one answer at a time, and the next one of a segment is known only then: as many nodes as segments. */
const CONCURRENT_SEGMENTS = 16;
const MAX_SEGMENTS_AHEAD = 20;
const MAX_BYTES_AHEAD = 96 * 1024 * 1024;

/** Heights, both included. */
interface Range {
  readonly from: bigint;
  readonly to: bigint;
}

/** Blocks that follow one another from a height on. */
interface Piece {
  readonly from: bigint;
  readonly blocks: readonly Uint8Array[];
}

/**
 * One chain as its validators have accepted it, read from themselves: segment by segment downwards, each block proved by its
 * hash from a block that a quorum has accepted.
 */
export class AcceptedChain implements BlockSource {
  /** Whom it is read from. */
  readonly servers: BlockServers;
  private readonly anchors: Anchors;
  private readonly segments: Segments;
  private readonly checkpoints: Checkpoints;
  private tip: Anchor | undefined;
  /** In the middle of which a reader has ended: the next one has it without asking, however long it took to be read. */
  private left: Piece | undefined;

  constructor(
    network: ChainNetwork,
    private readonly chain: ContainerChain,
    {
      bootstrappers,
      stake,
      logger,
    }: {
      bootstrappers: readonly string[];
      stake: () => Promise<KnownStake | undefined>;
      logger: Logger;
    },
  ) {
    this.servers = new BlockServers(network, chain.chainId, logger);
    const acceptance = new Acceptance(network, chain.chainId, bootstrappers, stake);
    this.anchors = new Anchors(chain, this.servers, (id, signal) => acceptance.confirm(id, signal));
    this.segments = new Segments(chain, this.servers, MAX_SEGMENT_BYTES);
    this.checkpoints = new Checkpoints(chain, this.servers);
  }

  /** Of the last block that is known to be accepted, after asking whether there is a newer one. Throws ChainSyncError. */
  async getHeight(signal: AbortSignal): Promise<bigint> {
    const newer = await this.anchors.above(this.tip?.height ?? -1n, this.known, signal);
    // An answer may be overtaken by a later one.
    if (newer !== undefined && newer.height > (this.tip?.height ?? -1n)) this.tip = newer;
    // Every chain has a first block: one of which none is confirmed is not at its end, but unknown.
    if (this.tip === undefined) throw new ChainSyncError('NOT_ACCEPTED', 'no block is confirmed yet');
    return this.tip.height;
  }

  /** Throws ChainSyncError. */
  async getBlock(height: bigint, signal: AbortSignal): Promise<Uint8Array> {
    return (await this.anchorAt(height, signal)).block;
  }

  async *fetch(from: bigint, to: bigint, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
    const checkpoints = await this.checkpoints.upTo(this.tip?.height, signal);
    for await (const piece of this.readPieces(from, to, signal)) {
      this.compare(piece, checkpoints);
      this.left = piece;
      yield* piece.blocks;
      this.left = undefined;
    }
  }

  /** Throws NOT_ACCEPTED. */
  private compare({ from, blocks }: Piece, checkpoints: ReadonlyMap<bigint, Id>): void {
    for (const [height, expected] of checkpoints) {
      const block = height < from ? undefined : blocks[Number(height - from)];
      if (block === undefined || this.chain.linkOf(block).id === expected) continue;
      const message = `block ${height} is another than avalanchego's checkpoint, although a quorum confirmed what follows it`;
      throw new ChainSyncError('NOT_ACCEPTED', message);
    }
  }

  private async *readPieces(from: bigint, to: bigint, signal: AbortSignal): AsyncGenerator<Piece, void> {
    const left = partOf(this.left, from, to);
    this.left = undefined;
    let next = from;
    const pieces = readAhead<Piece | Range>({
      next: (abortion) => {
        if (next > to) return undefined;
        if (next === left?.from) {
          next += BigInt(left.blocks.length);
          return Promise.resolve(left);
        }
        const range = segmentFrom(next, to);
        next = range.to + 1n;
        return this.read(range, abortion);
      },
      sizeOf: (piece) => ('to' in piece ? 0 : piece.blocks.reduce((size, { length }) => size + length, 0)),
      concurrency: () => CONCURRENT_SEGMENTS,
      maxItems: MAX_SEGMENTS_AHEAD,
      maxBytes: MAX_BYTES_AHEAD,
      signal,
    });
    for await (const piece of pieces) {
      if ('to' in piece) yield* this.readHalves(piece, signal);
      else yield piece;
    }
  }

  /** The range itself where its blocks are too many for memory, and are to be read in halves. */
  private async read(range: Range, signal: AbortSignal): Promise<Piece | Range> {
    try {
      const anchor = await this.anchorAt(range.to, signal);
      return { from: range.from, blocks: await this.segments.read(range.from, anchor, signal) };
    } catch (error) {
      if (error instanceof SegmentTooLargeError) return range;
      throw error;
    }
  }

  private async *readHalves({ from, to }: Range, signal: AbortSignal): AsyncGenerator<Piece, void> {
    const middle = (from + to) / 2n;
    for (const half of [
      { from, to: middle },
      { from: middle + 1n, to },
    ]) {
      const piece = await this.read(half, signal);
      if ('to' in piece) yield* this.readHalves(piece, signal);
      else yield piece;
    }
  }

  private async anchorAt(height: bigint, signal: AbortSignal): Promise<Anchor> {
    return this.tip?.height === height ? this.tip : this.anchors.at(height, this.known, signal);
  }

  /** A container that nodes have. Before one is known any other will do, which they would like to have from us then. */
  private get known(): string {
    return this.tip?.containerId ?? PRIMARY_NETWORK;
  }
}

/** Those blocks of it, from the first height on; undefined when it does not have this one. */
function partOf(piece: Piece | undefined, from: bigint, to: bigint): Piece | undefined {
  if (piece === undefined || from < piece.from) return undefined;
  const blocks = piece.blocks.slice(Number(from - piece.from), Number(to + 1n - piece.from));
  return blocks.length === 0 ? undefined : { from, blocks };
}

/** Segments end at the same heights whenever they are read. */
function segmentFrom(from: bigint, last: bigint): Range {
  const end = (from / SEGMENT_BLOCKS + 1n) * SEGMENT_BLOCKS - 1n;
  return { from, to: least(end, last) };
}
