import type { EvmChain } from '../../platform/evm-chains/evm-chain.js';
import type { ExportNodes } from '../rows/export-node.js';
import { addDays, countDays, type Day, dayOf, later, startOf } from './days.js';
import { openAt } from './export-gaps.js';
import { addNote, beginSlice, type ExportPosition } from './export-position.js';
import { type FoundHeight, HeightFinder } from './height-finder.js';
import type { ExportSources, TurnInput } from './turn-input.js';

interface ChainBegin {
  readonly chain: EvmChain;
  readonly finder: HeightFinder;
  readonly fromHeight: bigint;
}

type ChainEnd = ChainBegin & FoundHeight;

/** Decides which days the next slice of an export has, and which heights of each chain belong to them. */
export class SlicePlanner {
  constructor(
    private readonly input: Pick<TurnInput, 'request' | 'period'>,
    private readonly sources: Pick<ExportSources, 'blocks' | 'chains'>,
    private readonly nodes: ExportNodes,
  ) {}

  async plan(position: ExportPosition): Promise<ExportPosition> {
    const { nextDay: firstDay, sliceDays } = position;
    const begins: ChainBegin[] = [];
    const days = Math.min(sliceDays, countDays(firstDay, this.input.period.until));
    for (const chainId of this.input.request.chainIds) {
      begins.push(await this.beginChain(this.sources.chains.byId(BigInt(chainId)), position));
    }
    const lastDay = addDays(firstDay, days - 1);
    const ends: ChainEnd[] = [];
    for (const begin of begins) ends.push(await endOf(begin, startOf(addDays(lastDay, 1))));
    const chains = ends.map(({ chain: { chainId }, fromHeight, height }) => ({
      chainId,
      fromHeight,
      behind: height,
    }));
    return ends.reduce(
      (planned, end) => this.withEnd(planned, firstDay, end),
      beginSlice(position, { firstDay, lastDay, chains }),
    );
  }

  private async beginChain(chain: EvmChain, { starts, nextDay }: ExportPosition): Promise<ChainBegin> {
    const { blocks } = this.sources;
    const coverage = await blocks.coverageOf(chain);
    const finder = await HeightFinder.create(chain, blocks, this.nodes.of(chain), coverage);
    const known = starts[chain.chainId.toString()];
    return { chain, finder, fromHeight: known ?? (await finder.find(startOf(nextDay))).height };
  }

  /** With a note or gap for a chain whose days begin later than asked for, or are not known to be over. */
  private withEnd(
    position: ExportPosition,
    firstDay: Day,
    { chain, fromHeight, height, newest }: ChainEnd,
  ): ExportPosition {
    if (newest !== null) {
      const day = later(dayOf(newest.timestampSeconds), firstDay);
      return { ...position, gaps: openAt(position.gaps, chain, { day, ...newest }) };
    }
    // The time of a genesis says nothing, where it is not among the blocks.
    if (height > 1n || height !== fromHeight) return position;
    const { firstDate } = this.input.request;
    return addNote(position, `${chain.name} (${chain.chainId}): its first block is later than ${firstDate}`);
  }
}

/** First height behind a slice. */
async function endOf(begin: ChainBegin, timeSeconds: number): Promise<ChainEnd> {
  const isOver = timeSeconds * 1000 <= Date.now();
  const { finder } = begin;
  return { ...begin, ...(await (isOver ? finder.find(timeSeconds) : finder.findAhead(timeSeconds))) };
}
