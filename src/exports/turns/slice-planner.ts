import type { EvmChain } from '../../platform/evm-chains/evm-chain.js';
import type { ExportNodes } from '../rows/export-node.js';
import { addDays, countDays, type Day, dayIn, later, startIn } from './days.js';
import { openAt, upgradesMissing } from './export-gaps.js';
import { addNote, beginSlice, type ExportPosition } from './export-position.js';
import { type FoundHeight, HeightFinder } from './height-finder.js';
import { QuietChains } from './quiet-chains.js';
import type { EvmTurnInput, ExportSources } from './turn-input.js';

interface ChainBegin {
  readonly chain: EvmChain;
  readonly finder: HeightFinder;
  readonly fromHeight: bigint;
}

interface ChainEnd extends ChainBegin, FoundHeight {
  /** From where on the days are not proved whole; null when all of them are. */
  readonly openDay: Day | null;
}

/** Decides which days the next slice of an export has, and which heights of each chain belong to them. */
export class SlicePlanner {
  private readonly quietChains: QuietChains;

  constructor(
    private readonly input: Pick<EvmTurnInput, 'request' | 'period'>,
    private readonly sources: Pick<ExportSources, 'blocks' | 'chains'>,
    private readonly nodes: ExportNodes,
  ) {
    this.quietChains = new QuietChains(sources.chains);
  }

  async plan(position: ExportPosition): Promise<ExportPosition> {
    const { nextDay: firstDay, sliceDays } = position;
    const days = Math.min(sliceDays, countDays(firstDay, this.input.period.until));
    const lastDay = addDays(firstDay, days - 1);
    const until = this.startOf(addDays(lastDay, 1));
    const ends = await Promise.all(
      this.input.request.chainIds.map(async (chainId) => {
        const begin = await this.beginChain(this.sources.chains.byId(BigInt(chainId)), position);
        return this.endOf(begin, until);
      }),
    );
    const chains = ends.map(({ chain: { chainId }, fromHeight, height }) => ({
      chainId,
      fromHeight,
      behind: height,
    }));
    const planned = ends.reduce(
      (all, end) => this.withEnd(all, firstDay, end),
      beginSlice(position, { firstDay, lastDay, chains }),
    );
    return this.withUpgrades(
      planned,
      ends.map(({ chain }) => chain),
    );
  }

  private startOf(day: Day): number {
    return startIn(this.input.request.timeZone, day);
  }

  private async withUpgrades(position: ExportPosition, chains: readonly EvmChain[]): Promise<ExportPosition> {
    // Neither the index nor blocks show whether they were known.
    const areKnown = await Promise.all(chains.map((chain) => this.nodes.of(chain).knowsUpgrades()));
    const gaps = chains
      .filter((_, index) => areKnown[index] === false)
      .reduce(upgradesMissing, position.gaps);
    return { ...position, gaps };
  }

  private async beginChain(chain: EvmChain, { starts, nextDay }: ExportPosition): Promise<ChainBegin> {
    const { blocks } = this.sources;
    const coverage = await blocks.coverageOf(chain);
    const finder = await HeightFinder.create(chain, blocks, this.nodes.of(chain), coverage);
    const known = starts[chain.chainId.toString()];
    return { chain, finder, fromHeight: known ?? (await finder.find(this.startOf(nextDay))).height };
  }

  /** With a note or gap for a chain whose days begin later than asked for, or are not known to be over. */
  private withEnd(
    position: ExportPosition,
    firstDay: Day,
    { chain, height, newest, openDay }: ChainEnd,
  ): ExportPosition {
    if (newest !== null) {
      if (openDay === null) return position;
      const day = later(openDay, firstDay);
      return { ...position, gaps: openAt(position.gaps, chain, { day, ...newest }) };
    }
    // The time of a genesis means nothing, where neither this nor an earlier slice has it.
    if (height > 1n || height !== position.firsts[chain.chainId.toString()]) return position;
    const { firstDate } = this.input.request;
    return addNote(position, `${chain.name} (${chain.chainId}): its first block is later than ${firstDate}`);
  }

  /** First height behind a slice. Without a later block, its days are over as far as the chain is known to have been quiet. */
  private async endOf(begin: ChainBegin, timeSeconds: number): Promise<ChainEnd> {
    const { chain, finder } = begin;
    const isOver = timeSeconds * 1000 <= Date.now();
    const found = await (isOver ? finder.find(timeSeconds) : finder.findAhead(timeSeconds));
    if (found.newest === null) return { ...begin, ...found, openDay: null };
    const { height, timestampSeconds } = found.newest;
    const quietUntil = await this.quietChains.until(chain, height);
    const openDay =
      quietUntil >= timeSeconds
        ? null
        : dayIn(this.input.request.timeZone, Math.max(timestampSeconds, quietUntil));
    return { ...begin, ...found, openDay };
  }
}
