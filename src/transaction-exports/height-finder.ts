import { findFirstBlockAtOrAfter } from '../avalanche/evm/block-by-date.js';
import type { EvmChainRef } from '../database/chains.js';
import { DAY_SECONDS } from './days.js';
import { isNodeFailure, type ExportNode } from './export-node.js';
import type { IndexCoverage } from './index-coverage.js';
import type { DatedHeight, DatedRange, IndexedBlocksRepository } from './indexed-blocks.repository.js';

/** Which blocks of one chain belong to which days: from the index where it has them, otherwise from the nodes. */
export class HeightFinder {
  private constructor(
    private readonly chain: EvmChainRef,
    private readonly blocks: IndexedBlocksRepository,
    private readonly node: ExportNode,
    /** Ascending. */
    private readonly ranges: readonly DatedRange[],
  ) {}

  static async create(
    chain: EvmChainRef,
    blocks: IndexedBlocksRepository,
    node: ExportNode,
    coverage: IndexCoverage,
  ): Promise<HeightFinder> {
    return new HeightFinder(chain, blocks, node, await blocks.datesOf(chain, coverage));
  }

  /** First block at or after a time; one above the newest block when there is none yet. */
  async firstAtOrAfter(timeSeconds: number): Promise<bigint> {
    const holding = this.ranges.find(
      ({ first, last }) => first.timestampSeconds < timeSeconds && timeSeconds <= last.timestampSeconds,
    );
    if (holding !== undefined) {
      const range = { from: holding.first.height, to: holding.last.height };
      return this.blocks.firstAtOrAfter(this.chain, timeSeconds, range);
    }
    const lowestHeight = this.lowestCandidate(timeSeconds);
    const above = this.firstBehind(timeSeconds)?.height;
    const highestHeight = above === undefined ? await this.node.tip() : above - 1n;
    if (highestHeight < lowestHeight) return lowestHeight;
    const found = await findFirstBlockAtOrAfter({
      timestampSeconds: timeSeconds,
      lowestHeight,
      highestHeight,
      getHeader: (height) => this.node.header(height),
    });
    return found ?? highestHeight + 1n;
  }

  /**
   * The same for the end of a day that is not over: when the nodes are away, what is indexed has to do. Then `isKnown` is
   * false.
   */
  async firstOfFuture(timeSeconds: number): Promise<{ height: bigint; isKnown: boolean }> {
    try {
      return { height: await this.firstAtOrAfter(timeSeconds), isKnown: true };
    } catch (error) {
      if (this.ranges.length === 0 || !isNodeFailure(error)) throw error;
      return { height: this.lowestCandidate(timeSeconds), isKnown: false };
    }
  }

  /** Whole days from a midnight on that need no block from a node, when the first block at or after it has this height. */
  async freeDays(midnightSeconds: number, firstHeight: bigint): Promise<number> {
    const range = this.ranges.find(
      ({ first, last }) => first.height <= firstHeight && firstHeight <= last.height,
    );
    if (range !== undefined) return wholeDays(midnightSeconds, range.last.timestampSeconds);
    if (firstHeight > (await this.node.tip())) return Infinity;
    return wholeDays(midnightSeconds, (await this.node.header(firstHeight)).timestampSeconds);
  }

  /** The block above the last one that is known to be earlier. */
  private lowestCandidate(timeSeconds: number): bigint {
    const before = this.ranges.findLast(({ last }) => last.timestampSeconds < timeSeconds);
    return before === undefined ? 0n : before.last.height + 1n;
  }

  private firstBehind(timeSeconds: number): DatedHeight | undefined {
    return this.ranges.find(({ first }) => first.timestampSeconds >= timeSeconds)?.first;
  }
}

function wholeDays(fromSeconds: number, toSeconds: number): number {
  return Math.floor((toSeconds - fromSeconds) / DAY_SECONDS);
}
