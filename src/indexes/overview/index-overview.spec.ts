import { describe, expect, it } from '@jest/globals';
import { FEW_BLOCKS, lagSeconds } from './index-overview.js';

const NOW = 1_800_000_000;
const index = { height: 1_000n, blockTime: NOW - 500, tip: 1_000n, heardAt: NOW - 30 };

describe(lagSeconds.name, () => {
  it('counts how long an index that was at the tip has been silent, however old the last block is', () => {
    expect(lagSeconds(index, NOW)).toBe(30);
  });

  it('counts the age of the last indexed block while there are blocks to read', () => {
    expect(lagSeconds({ ...index, tip: index.height + FEW_BLOCKS + 1n }, NOW)).toBe(500);
  });

  it('counts a few blocks as no lag', () => {
    expect(lagSeconds({ ...index, tip: index.height + FEW_BLOCKS }, NOW)).toBe(30);
  });

  it('never falls below zero, whatever the clocks say', () => {
    expect(lagSeconds({ ...index, heardAt: NOW + 5 }, NOW)).toBe(0);
  });
});
