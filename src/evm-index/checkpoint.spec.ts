import { describe, expect, it } from '@jest/globals';
import { joinReceipts, parseBlock, parseReceipts } from '../avalanche/evm/block.js';
import type { BlockWithMovements } from '../avalanche/evm/movement-reader.js';
import { rawBlock } from '../avalanche/evm/testing/chain-builder.js';
import { advance } from './checkpoint.js';

/** `t` a traced call, `u` one that could not be traced, `-` a block without any. */
function blocksLike(pattern: string): BlockWithMovements[] {
  return [...pattern].map((kind, index) => {
    const height = BigInt(index + 1);
    const raw = rawBlock(index + 1, kind === '-' ? [] : [{ gasUsed: 50_000n }]);
    const block = joinReceipts(parseBlock(raw.block, height), parseReceipts(raw.receipts));
    return { block, movements: [], isTraced: kind !== 'u' };
  });
}

const ORIGIN = { genesisHash: null, firstHeight: 1n };
const rangesAfter = (pattern: string): string[] =>
  advance(ORIGIN, blocksLike(pattern)).ranges.map(
    ({ from, to, isTraced }) => `${from}-${to}${isTraced ? 't' : ''}`,
  );

describe(advance, () => {
  it.each<[string, string, string[]]>([
    ['all of them traced', 'tt-t', ['1-4t']],
    ['none of them traced', 'uu-u', ['1-4']],
    ['one that could not be traced', 'ttutt', ['1-2t', '3-3', '4-5t']],
    ['one at the beginning and one at the end', 'u-ttu', ['1-2', '3-4t', '5-5']],
    ['nothing to trace', '---', ['1-3t']],
    ['nothing to trace, then one that could not be', '--u', ['1-3']],
  ])('keeps apart what was traced: %s', (_, pattern, ranges) => {
    expect(rangesAfter(pattern)).toEqual(ranges);
  });

  it('joins what the next blocks continue', () => {
    const blocks = blocksLike('tttut');
    const first = advance(ORIGIN, blocks.slice(0, 2));
    expect(advance(first, blocks.slice(2)).ranges).toEqual([
      { from: 1n, to: 3n, isTraced: true },
      { from: 4n, to: 4n, isTraced: false },
      { from: 5n, to: 5n, isTraced: true },
    ]);
  });
});
