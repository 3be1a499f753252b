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
import { PRIMARY_NETWORK } from '../../../avalanche/platformvm/ids.js';
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

/** A segment, or the range of one that is to be read in halves. */
type Piece = readonly Uint8Array[] | Range;

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
    return this.tip?.height ?? -1n;
  }

  /** Throws ChainSyncError. */
  async getBlock(height: bigint, signal: AbortSignal): Promise<Uint8Array> {
    return (await this.anchorAt(height, signal)).block;
  }

  async *fetch(from: bigint, to: bigint, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
    const checkpoints = await this.checkpoints.upTo(this.tip?.height, signal);
    let height = from;
    for await (const block of this.readSegments(from, to, signal)) {
      const expected = checkpoints.get(height);
      if (expected !== undefined && this.chain.linkOf(block).id !== expected) {
        const message = `block ${height} is another than avalanchego's checkpoint, although a quorum confirmed what follows it`;
        throw new ChainSyncError('NOT_ACCEPTED', message);
      }
      yield block;
      height++;
    }
  }

  private async *readSegments(
    from: bigint,
    to: bigint,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array, void> {
    let next = from;
    const pieces = readAhead<Piece>({
      next: (abortion) => {
        if (next > to) return undefined;
        const range = segmentFrom(next, to);
        next = range.to + 1n;
        return this.read(range, abortion);
      },
      sizeOf: (piece) => ('from' in piece ? 0 : piece.reduce((size, { length }) => size + length, 0)),
      concurrency: () => CONCURRENT_SEGMENTS,
      maxItems: MAX_SEGMENTS_AHEAD,
      maxBytes: MAX_BYTES_AHEAD,
      signal,
    });
    for await (const piece of pieces) yield* 'from' in piece ? this.readHalves(piece, signal) : piece;
  }

  private async read(range: Range, signal: AbortSignal): Promise<Piece> {
    try {
      return await this.segments.read(range.from, await this.anchorAt(range.to, signal), signal);
    } catch (error) {
      if (error instanceof SegmentTooLargeError) return range;
      throw error;
    }
  }

  private async *readHalves({ from, to }: Range, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
    const middle = (from + to) / 2n;
    for (const half of [
      { from, to: middle },
      { from: middle + 1n, to },
    ]) {
      const piece = await this.read(half, signal);
      yield* 'from' in piece ? this.readHalves(piece, signal) : piece;
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

/** Segments end at the same heights whenever they are read. */
function segmentFrom(from: bigint, last: bigint): Range {
  const end = (from / SEGMENT_BLOCKS + 1n) * SEGMENT_BLOCKS - 1n;
  return { from, to: least(end, last) };
}
