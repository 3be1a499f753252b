import { type EvmChain, isCChain } from '../../../platform/evm-chains/evm-chain.js';
import type { EvmChainRef } from '../../../platform/database/chains.js';
import type { Transaction } from '../../../platform/database/database.js';
import type { HeightRange } from '../../engine/coverage/height-range.js';
import { forgetAtomicTransactions } from '../rows/atomic-utxos.js';
import type { CopyText } from '../rows/copy-text.js';
import { type LogSet, logSetsOf } from '../sources/logs/log-sets.js';
import type { WatchedLog } from '../projections/watched-log.js';
import type { CopiedTable, EvmTable } from '../rows/evm-tables.js';

/** A part of what is known of a chain, with tables of its own, that is there or not whatever the others are. */
export interface Facet {
  readonly name: string;
  /** Of the decoder. A higher one has the rows of lower ones made again, in the background. */
  readonly version: number;
  readonly tables: readonly EvmTable[];
  /** Those of all chains and heights in one. */
  readonly wholeTables?: readonly CopiedTable[];
  /** Whether the chain's whole past is wanted, wherever the index of its blocks begins and whatever is dropped of it. */
  readonly fromGenesis?: boolean;
  /** A facet whose rows these are made from: only where that one is complete can this one be. */
  readonly ground?: string;
  /** For a facet with effects beyond its tables: undoes those of blocks of these heights. */
  readonly forget?: (transaction: Transaction, chain: EvmChainRef, range: HeightRange) => Promise<void>;
  /** Of a facet that is a set of watched logs, which stand in a table of their own. */
  readonly logSet?: LogSet;
}

/**
 * Blocks, transactions, and the content of their receipts. Before version 2 no mints of native coins, before 3 none that a genesis or
 * upgrade gives.
 */
export const BASE: Facet = {
  name: 'base',
  version: 3,
  tables: ['evm_blocks', 'evm_transactions', 'evm_transfers'],
};

/** Internal transfers of contracts. Before version 2 no native coins that were minted without a log. */
export const TRACES: Facet = {
  name: 'traces',
  version: 2,
  tables: ['evm_internal_transfers'],
  ground: BASE.name,
};

/**
 * Imports and exports of a C-chain, which come with its blocks; of others headers suffice. The supply needs all of them. Before version
 * 2 not what they consume and create on other chains.
 */
export const ATOMIC: Facet = {
  name: 'atomic',
  version: 2,
  tables: [],
  wholeTables: ['evm_atomic_transfers'],
  fromGenesis: true,
  forget: forgetAtomicTransactions,
};

export function logFacet(logSet: LogSet): Facet {
  const { name, version, fromGenesis } = logSet;
  return { name: `logs:${name}`, version, tables: [], fromGenesis, logSet };
}

export type Rows = ReadonlyMap<CopiedTable, CopyText>;

/** Content of a stretch of heights for one facet. */
export interface FacetBatch extends HeightRange {
  readonly facet: Facet;
  /** About how many there are; how large partitions become depends on it. */
  readonly rowsPerBlock: number;
  /** Those of the heights that are wanted; others have been written meanwhile. */
  makeRows(isWanted: (height: bigint) => boolean): Rows;
  /** Results beside the facet's rows, of the heights that are wanted. */
  writeMore?(transaction: Transaction, isWanted: (height: bigint) => boolean): Promise<void>;
  /** Of a set of logs. */
  readonly logs?: readonly WatchedLog[];
}

/** All facets of a chain. Each is filled in by an index of its own, beside the one that follows the tip. */
export function facetsOf(
  chain: Pick<EvmChain, 'traces' | 'chainId' | 'index' | 'watch' | 'messengers'>,
): Facet[] {
  const logs = logSetsOf(chain).map(logFacet);
  if (chain.index === 'logs') return logs;
  return [BASE, ...(chain.traces === 'off' ? [] : [TRACES]), ...(isCChain(chain) ? [ATOMIC] : []), ...logs];
}

/** Throws RangeError. */
export function facetNamed(chain: Parameters<typeof facetsOf>[0], name: string): Facet {
  const facets = facetsOf(chain);
  const facet = facets.find((each) => each.name === name);
  if (facet !== undefined) return facet;
  throw new RangeError(
    `there is no facet ${name} of this chain; there are ${facets.map((each) => each.name).join(', ')}`,
  );
}
