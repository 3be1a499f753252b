import type { NetworkName } from '../config/config.module.js';

/**
 * The partition of one network, and of one chain where the table is divided further, as the migrations name them. Asked by itself,
 * and not as the part of the whole that fits, Postgres plans it faster, and answers from an index alone where that has all columns.
 */
export function partitionOf(table: string, network: NetworkName, chain?: 'P' | 'X' | 'C'): string {
  return `${table}_${network}${chain === undefined ? '' : `_${chain.toLowerCase()}`}`;
}
