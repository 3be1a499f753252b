import { randomUUID } from 'node:crypto';
import type { EvmChain } from '../../../platform/evm-chains/evm-chain.js';
import type { OpenHeights } from '../../engine/coverage/coverage.js';
import { clip, type HeightRange } from '../../engine/coverage/height-range.js';
import { type Build, EvmBuilds } from '../rows/builds.js';
import { TablesBusyError } from '../rows/partitions.js';
import { BASE } from './facets.js';
import type { Checkpoint } from './checkpoint.js';
import { type FacetHistory, type FacetTarget, inPlace } from './facet-source.js';
import type { EvmStore } from './followed-evm-chain.js';

/** Builds that others have left are of no use when nothing is missing any more. */
const TIDY_EVERY_MS = 60_000;

/**
 * Which part of a chain's history one worker makes: a stretch beside the tables (builds.ts), or a hole in what is there. A helper
 * leaves holes to the one whom it helps.
 */
export class History implements FacetHistory {
  private readonly owner = randomUUID();
  private tidyAfter = 0;

  constructor(
    private readonly chain: EvmChain,
    private readonly store: EvmStore,
    private readonly builds: EvmBuilds,
    readonly isHelper: boolean,
  ) {}

  async next(
    { missing, outdated, due }: OpenHeights,
    checkpoint: Checkpoint,
    signal: AbortSignal,
  ): Promise<FacetTarget | 'worked' | undefined> {
    const open = { missing: [...missing, ...due], outdated };
    const all = [...open.missing, ...outdated];
    if (all.length === 0 && performance.now() < this.tidyAfter) return undefined;
    this.tidyAfter = performance.now() + TIDY_EVERY_MS;
    if (await this.store.writer.retain(this.chain, this.chain.keepDays)) return 'worked';
    const hole = this.isHelper ? undefined : await this.findHole(open.missing);
    if (hole !== undefined) return inPlace(this.chain, this.store, BASE, hole);
    const build = await this.builds.claim(this.chain, this.owner, open);
    if (build === undefined) return undefined;
    const left = { from: build.fromHeight, to: build.nextHeight };
    const range = left.from > left.to ? undefined : highest(clip(left, all));
    if (range === undefined) return this.complete(build, checkpoint, signal);
    if (range.to < build.nextHeight) await this.builds.moveTo(build, range.to);
    return this.beside(build, range);
  }

  countBuilt(): Promise<bigint> {
    return this.builds.countBuilt(this.chain);
  }

  release(): Promise<void> {
    return this.builds.release(this.chain, this.owner);
  }

  /** The highest stretch that is missing where there are tables for it. */
  private async findHole(open: readonly HeightRange[]): Promise<HeightRange | undefined> {
    if (open.length === 0) return undefined;
    const partitions = await this.builds.findPartitions(this.chain);
    return highest(partitions.flatMap((partition) => clip(partition, open)));
  }

  private async complete(
    build: Build,
    { height }: Checkpoint,
    signal: AbortSignal,
  ): Promise<'worked' | undefined> {
    if (build.topHash === null) {
      await this.builds.discard(build); // no node had any of it
      return 'worked';
    }
    await this.builds.finish(this.chain, build, height);
    signal.throwIfAborted();
    try {
      await this.store.writer.attach(this.chain, build);
      await this.store.writer.vacuum(this.chain, build.toHeight, signal, { isAnalyzed: true });
      return 'worked';
    } catch (error) {
      if (error instanceof TablesBusyError) return undefined;
      throw error;
    }
  }

  private beside(build: Build, range: HeightRange): FacetTarget {
    const { chain, builds, store } = this;
    let next = build;
    return {
      range,
      findBlock: async (height) =>
        (await builds.findBlock(build, height)) ?? store.repository.findBlock(chain, height),
      write: async ({ facets, tokens = [], links }) => {
        const facet = facets.find((batch) => batch.facet === BASE);
        if (facet === undefined || links === undefined) throw new RangeError('a batch without blocks');
        next = await builds.write(next, { facet, tokens, ...links });
        // Other facets of the blocks, in tables that are there, are written once a block on record proves them.
        const others = facets.filter((batch) => batch.facet.tables.length === 0);
        if (next.expectedTop !== null && others.length > 0) {
          await store.writer.write({ chain, facets: others });
        }
      },
      skip: async (hole) => {
        await store.writer.markUnavailable(chain, BASE, hole);
        await builds.moveTo(build, hole.from - 1n);
      },
    };
  }
}

function highest(ranges: readonly HeightRange[]): HeightRange | undefined {
  return ranges.reduce<HeightRange | undefined>(
    (best, range) => (best === undefined || range.to > best.to ? range : best),
    undefined,
  );
}
