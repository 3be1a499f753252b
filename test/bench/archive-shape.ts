import { addressFor } from '../../sandbox/generated/evm-block.js';
import { makeRandom } from '../../sandbox/generated/evm-chain-generator.js';
import type { Address } from '../../src/avalanche/evm/rpc/hex-values.js';
import { startOf } from '../../src/exports/turns/days.js';

/** A year on the C-chain, as the benchmark's node and the benchmark itself know it. */
export const ACCOUNT: Address = addressFor(7);
export const OTHER: Address = addressFor(8);
export const FIRST_DAY = '2025-01-01';
const YEAR_SECONDS = 365 * 86_400;
/** Six of ten changes are sent, as of an ordinary account. */
const SENT_OF_TEN = 6;

/** Behind the last block of the year, which proves it whole, is one more. */
export function timeOf(height: number, blocks: number): number {
  return startOf(FIRST_DAY) + Math.floor((height * YEAR_SECONDS) / (blocks - 1));
}

export interface Change {
  readonly height: number;
  readonly isSent: boolean;
}

/** The same ones in every process, ascending. */
export function changesOf(blocks: number, count: number): Change[] {
  const random = makeRandom(5);
  const heights = new Set<number>();
  while (heights.size < count) heights.add(1 + random(blocks - 2));
  // Nothing can be sent before something was received.
  return [...heights]
    .sort((a, b) => a - b)
    .map((height, index) => ({ height, isSent: index > 0 && random(10) < SENT_OF_TEN }));
}
