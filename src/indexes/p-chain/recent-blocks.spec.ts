import { describe, expect, it } from '@jest/globals';
import {
  proposedHeight,
  type RecentBlock,
  RecentBlocksSchema,
  recentBlocksToJson,
  withBlock,
} from './recent-blocks.js';

/** Blocks of these times, from height 1 on. */
const chain = (...times: readonly number[]): RecentBlock[] =>
  times.reduce<RecentBlock[]>(
    (blocks, time, index) => withBlock(blocks, { height: BigInt(index + 1), time }),
    [],
  );

const proposedAt = (now: number, ...times: readonly number[]): bigint =>
  proposedHeight({ height: BigInt(times.length), recentBlocks: chain(...times) }, now);

describe(proposedHeight.name, () => {
  it.each([
    ['the last block, once it is 30 s old', 130, [10, 100], 2n],
    ['the block before one that is younger', 129, [10, 100], 1n],
    ['the last of several that are old enough', 130, [10, 90, 100, 100, 101, 129], 4n],
    ['the oldest that is known, where all are young', 110, [100, 101, 102], 1n],
    ['the height of a chain without blocks', 110, [], 0n],
  ])('is that of %s', (_, now, times, expected) => {
    expect(proposedAt(now, ...times)).toBe(expected);
  });

  it('keeps few blocks of a chain that is fast', () => {
    const blocks = chain(...Array.from({ length: 1_000 }, () => 100));
    expect(blocks).toHaveLength(64);
    expect(proposedHeight({ height: 1_000n, recentBlocks: blocks }, 101)).toBe(937n);
  });

  it('is the same from what a checkpoint keeps', () => {
    const blocks = chain(10, 90, 100);
    expect(RecentBlocksSchema.parse(JSON.parse(JSON.stringify(recentBlocksToJson(blocks))))).toEqual(blocks);
  });
});
