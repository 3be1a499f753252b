import { type EvmChain, isCChain } from '../evm-chains/evm-chain.js';
import type { HeightRange } from '../indexing/height-range.js';
import type { CopyText } from './copy-text.js';
import type { EvmTable } from './partitions.js';

/** A part of what is known of a chain, with tables of its own, that is there or not whatever the others are. */
export interface Facet {
  readonly name: string;
  /** Of the decoder. A higher one has the rows of lower ones made again, in the background. */
  readonly version: number;
  readonly tables: readonly EvmTable[];
  /** A facet whose rows these are made from: only where that one is complete can this one be. */
  readonly ground?: string;
}

/** Blocks, transactions, and what their receipts tell. Before version 2 no mints of native coins. */
export const BASE: Facet = {
  name: 'base',
  version: 2,
  tables: ['evm_blocks', 'evm_transactions', 'evm_transfers'],
};

/** What contracts moved on the way. */
export const TRACES: Facet = {
  name: 'traces',
  version: 1,
  tables: ['evm_internal_transfers'],
  ground: BASE.name,
};

/** Imports and exports of a C-chain, which come with its blocks. */
export const ATOMIC: Facet = {
  name: 'atomic',
  version: 1,
  tables: ['evm_atomic_transfers'],
  ground: BASE.name,
};

export const FACETS: readonly Facet[] = [BASE, TRACES, ATOMIC];

export type Rows = ReadonlyMap<EvmTable, CopyText>;

/** What a stretch of heights has of one facet. */
export interface FacetBatch extends HeightRange {
  readonly facet: Facet;
  /** About how many there are; how large partitions become depends on it. */
  readonly rowsPerBlock: number;
  /** Those of the heights that are wanted; others have been written meanwhile. */
  makeRows(isWanted: (height: bigint) => boolean): Rows;
}

/** Facets of a chain that are filled in by indexes of their own, beside the one that follows the tip. */
export function backfilledFacets(chain: Pick<EvmChain, 'traces' | 'chainId'>): Facet[] {
  return [BASE, ...(chain.traces === 'off' ? [] : [TRACES]), ...(isCChain(chain) ? [ATOMIC] : [])];
}

/** @throws RangeError */
export function facetNamed(name: string): Facet {
  const facet = FACETS.find((each) => each.name === name);
  if (facet === undefined) {
    throw new RangeError(
      `there is no facet ${name}; there are ${FACETS.map((each) => each.name).join(', ')}`,
    );
  }
  return facet;
}
