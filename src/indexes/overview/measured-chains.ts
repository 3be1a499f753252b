import { Injectable } from '@nestjs/common';
import type { EvmChain } from '../../platform/evm-chains/evm-chain.js';
import { completeRanges, findOpenHeights } from '../engine/coverage/coverage.js';
import type { CoverageByFacet } from '../engine/coverage/coverage.repository.js';
import { countHeights, type HeightRange } from '../engine/coverage/height-range.js';
import { type Checkpoint, FROM_GENESIS, wantedBlocks } from '../evm/facets/checkpoint.js';
import { type Facet, facetsOf } from '../evm/facets/facets.js';
import { EvmIndexRepository } from '../evm/rows/evm-index.repository.js';

/** Of a facet; one that was read in many pieces has more, which are only counted. */
const MAX_RANGES = 20;

/** Indexed and missing blocks of a facet. */
export interface MeasuredFacet {
  readonly name: string;
  /** Complete, newest first. */
  readonly ranges: readonly HeightRange[];
  readonly rangeCount: number;
  readonly complete: bigint;
  readonly missing: bigint;
  /** Complete, and to be made again. */
  readonly outdated: bigint;
  readonly unavailable: bigint;
}

export interface MeasuredChain {
  readonly chain: EvmChain;
  readonly checkpoint: Checkpoint | undefined;
  readonly facets: readonly MeasuredFacet[];
}

/** Which blocks of an EVM chain are indexed, facet by facet. */
@Injectable()
export class MeasuredChains {
  constructor(private readonly index: EvmIndexRepository) {}

  async measure(chain: EvmChain): Promise<MeasuredChain> {
    const [checkpoint, coverage] = await Promise.all([
      this.index.findCheckpoint(chain),
      this.index.findCoverage(chain),
    ]);
    const facets = facetsOf(chain).map((facet) => measureFacet(facet, { chain, checkpoint, coverage }));
    return { chain, checkpoint, facets };
  }
}

interface IndexedChain extends Pick<MeasuredChain, 'chain' | 'checkpoint'> {
  readonly coverage: CoverageByFacet;
}

function measureFacet(
  { name, version, ground, fromGenesis }: Facet,
  { chain, checkpoint, coverage }: IndexedChain,
): MeasuredFacet {
  const known = coverage.get(name) ?? [];
  const complete = joined(completeRanges(known));
  const start = fromGenesis === true ? FROM_GENESIS : chain;
  const own = checkpoint === undefined ? [] : wantedBlocks(start, checkpoint);
  const wanted = ground === undefined ? own : completeRanges(coverage.get(ground) ?? []);
  const { missing, outdated, unavailable } = findOpenHeights(known, wanted, { version, now: Date.now() });
  return {
    name,
    ranges: complete.toReversed().slice(0, MAX_RANGES),
    rangeCount: complete.length,
    complete: countHeights(complete),
    missing: countHeights(missing),
    outdated: countHeights(outdated),
    unavailable: countHeights(unavailable),
  };
}

/** Neighbours whose only difference is the decoder's version are one stretch to readers. */
function joined(ranges: readonly HeightRange[]): HeightRange[] {
  const stretches: HeightRange[] = [];
  for (const { from, to } of ranges) {
    const last = stretches.at(-1);
    if (last !== undefined && last.to + 1n === from) stretches.splice(-1, 1, { from: last.from, to });
    else stretches.push({ from, to });
  }
  return stretches;
}
