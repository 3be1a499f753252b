import type { CoverageByFacet } from '../../indexes/engine/coverage/coverage.repository.js';
import { completeRanges } from '../../indexes/engine/coverage/coverage.js';
import { isCChain, type EvmChain } from '../../platform/evm-chains/evm-chain.js';
import { ATOMIC, BASE, type Facet, TRACES } from '../../indexes/evm/facets/facets.js';
import { type HeightRange, includes, subtract } from '../../indexes/engine/coverage/height-range.js';

/** A stretch of heights whose rows are in the tables. */
export interface CoveredRange extends HeightRange {
  /** Whether internal transfers are among them. */
  readonly isTraced: boolean;
  /** Whether imports and exports are, where the chain has any. */
  readonly hasAtomic: boolean;
  /** Whether some of them are being made again. */
  readonly isOutdated: boolean;
}

/** Indexed ranges of one chain; rows beyond them may be incomplete. */
export class IndexCoverage {
  /** Ascending, without overlaps. */
  private constructor(readonly ranges: readonly CoveredRange[]) {}

  static of(chain: Pick<EvmChain, 'chainId'>, coverage: CoverageByFacet): IndexCoverage {
    const of = ({ name }: Facet): HeightRange[] => completeRanges(coverage.get(name) ?? []);
    const outdated = [BASE, TRACES, ATOMIC].flatMap(({ name, version }) =>
      completeRanges(coverage.get(name) ?? []).filter((range) => range.version < version),
    );
    const ranges = of(BASE).flatMap((range) =>
      split(range, of(TRACES)).flatMap(({ isIn: isTraced, ...part }) => {
        const byAtomic = isCChain(chain) ? split(part, of(ATOMIC)) : [{ ...part, isIn: true }];
        return byAtomic.flatMap(({ isIn: hasAtomic, ...rest }) =>
          split(rest, outdated).map(({ isIn: isOutdated, ...stretch }) => ({
            ...stretch,
            isTraced,
            hasAtomic,
            isOutdated,
          })),
        );
      }),
    );
    return new IndexCoverage(ranges.sort((a, b) => (a.from < b.from ? -1 : 1)));
  }

  rangeAt(height: bigint): CoveredRange | undefined {
    return this.ranges.find((range) => includes(range, height));
  }

  covers(range: HeightRange): boolean {
    return subtract(range, this.ranges).length === 0;
  }

  /** The whole stretch without coverage around a height that has none, within bounds. */
  gapAround(height: bigint, bounds: HeightRange): HeightRange {
    const below = this.ranges.findLast(({ to }) => to < height)?.to;
    const above = this.ranges.find(({ from }) => from > height)?.from;
    return {
      from: below === undefined || below < bounds.from ? bounds.from : below + 1n,
      to: above === undefined || above > bounds.to ? bounds.to : above - 1n,
    };
  }
}

/** Its parts that are in any of the others, and those that are not. */
function split(
  { from, to }: HeightRange,
  others: readonly HeightRange[],
): (HeightRange & { readonly isIn: boolean })[] {
  const range = { from, to };
  const rest = subtract(range, others);
  return [
    ...subtract(range, rest).map((part) => ({ ...part, isIn: true })),
    ...rest.map((part) => ({ ...part, isIn: false })),
  ];
}
