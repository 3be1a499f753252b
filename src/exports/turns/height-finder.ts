import type { EvmHeader } from '../../avalanche/evm/blocks/block.js';
import { findFirstBlockAtOrAfter } from '../../avalanche/evm/blocks/block-by-date.js';
import type { EvmChainRef } from '../../platform/database/chains.js';
import { isNodeFailure, type ExportNode } from '../rows/export-node.js';
import type { IndexCoverage } from './index-coverage.js';
import type { DatedHeight, DatedRange, IndexedBlocksRepository } from './indexed-blocks.repository.js';

/** Where a time begins on a chain. */
export interface FoundHeight {
  /** First block at or after it; one above the newest block when there is none yet. */
  readonly height: bigint;
  /** Then, the newest block: nothing proves that no more will come. */
  readonly newest: DatedHeight | null;
}

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

  async find(timeSeconds: number): Promise<FoundHeight> {
    const holding = this.ranges.find(
      ({ first, last }) => first.timestampSeconds < timeSeconds && timeSeconds <= last.timestampSeconds,
    );
    if (holding !== undefined) {
      const range = { from: holding.first.height, to: holding.last.height };
      return proved(await this.blocks.firstAtOrAfter(this.chain, timeSeconds, range));
    }
    const lowestHeight = this.lowestCandidate(timeSeconds);
    const above = this.firstBehind(timeSeconds)?.height;
    const highestHeight = above === undefined ? await this.node.tip() : above - 1n;
    const found = await this.search(timeSeconds, lowestHeight, highestHeight);
    if (found !== undefined) return proved(found);
    if (above !== undefined) return proved(above);
    return this.indexedEnd(timeSeconds, highestHeight) ?? behind(await this.node.header(highestHeight));
  }

  /** The same for a time to come: when the nodes are away, what is indexed has to do. */
  async findAhead(timeSeconds: number): Promise<FoundHeight> {
    try {
      return await this.find(timeSeconds);
    } catch (error) {
      const end = isNodeFailure(error) ? this.indexedEnd(timeSeconds) : undefined;
      if (end === undefined) throw error;
      return end;
    }
  }

  private async search(
    timestampSeconds: number,
    lowestHeight: bigint,
    highestHeight: bigint,
  ): Promise<bigint | undefined> {
    if (highestHeight < lowestHeight) return undefined;
    const getHeader = (height: bigint): Promise<EvmHeader> => this.node.header(height);
    return findFirstBlockAtOrAfter({ timestampSeconds, lowestHeight, highestHeight, getHeader });
  }

  /** Behind the last indexed block before a time, when a node's tip is no higher. */
  private indexedEnd(timeSeconds: number, tip = 0n): FoundHeight | undefined {
    const last = this.lastBefore(timeSeconds)?.last;
    return last === undefined || last.height < tip ? undefined : behind(last);
  }

  /** The block above the last one that is known to be earlier. */
  private lowestCandidate(timeSeconds: number): bigint {
    const before = this.lastBefore(timeSeconds);
    return before === undefined ? 0n : before.last.height + 1n;
  }

  private lastBefore(timeSeconds: number): DatedRange | undefined {
    return this.ranges.findLast(({ last }) => last.timestampSeconds < timeSeconds);
  }

  private firstBehind(timeSeconds: number): DatedHeight | undefined {
    return this.ranges.find(({ first }) => first.timestampSeconds >= timeSeconds)?.first;
  }
}

function proved(height: bigint): FoundHeight {
  return { height, newest: null };
}

function behind({ height, timestampSeconds }: DatedHeight): FoundHeight {
  return { height: height + 1n, newest: { height, timestampSeconds } };
}
