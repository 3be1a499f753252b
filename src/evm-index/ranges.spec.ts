import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { addRange, countIndexed, countMissing, type HeightRange, lowestGap, MAX_RANGES } from './ranges.js';

const range = (from: number, to: number, isTraced = true): HeightRange => ({
  from: BigInt(from),
  to: BigInt(to),
  isTraced,
});
const added = (from: number, to: number, isTraced: boolean | null) => ({
  from: BigInt(from),
  to: BigInt(to),
  isTraced,
});

describe('ranges of heights', () => {
  it.each([
    ['the first one', [], added(5, 9, true), [range(5, 9)]],
    ['the next block', [range(5, 9)], added(10, 10, true), [range(5, 10)]],
    ['the block before', [range(5, 9)], added(4, 4, true), [range(4, 9)]],
    ['one that closes a gap', [range(0, 3), range(6, 9)], added(4, 5, true), [range(0, 9)]],
    ['one in a gap', [range(0, 3), range(8, 9)], added(5, 5, true), [range(0, 3), range(5, 5), range(8, 9)]],
    ['one without traces', [range(0, 3)], added(4, 5, false), [range(0, 3), range(4, 5, false)]],
    [
      'one without calls, which continues either kind',
      [range(0, 3, false)],
      added(4, 5, null),
      [range(0, 5, false)],
    ],
    ['one without calls before a range', [range(6, 7, false)], added(4, 5, null), [range(4, 7, false)]],
    ['one without calls, alone', [range(9, 9, false)], added(4, 5, null), [range(4, 5), range(9, 9, false)]],
  ])('are extended by %s', (_, before, next, after) => {
    expect(addRange(before, next)).toEqual(after);
  });

  it('never hold a height twice', () => {
    expect(() => addRange([range(0, 3)], added(3, 5, true))).toThrow(RangeError);
    expect(() => addRange([range(4, 4)], added(3, 5, true))).toThrow(RangeError);
    expect(() => addRange([], added(5, 4, true))).toThrow(RangeError);
  });

  it('tell what is missing, the lowest first, also after the start was set lower', () => {
    const ranges = [range(10, 19), range(30, 39)];
    expect(lowestGap(ranges, 0n)).toEqual({ from: 0n, to: 9n });
    expect(lowestGap(ranges, 10n)).toEqual({ from: 20n, to: 29n });
    expect(lowestGap(ranges, 25n)).toEqual({ from: 25n, to: 29n });
    expect(lowestGap(ranges, 30n)).toBeUndefined();
    expect(lowestGap(ranges, 50n)).toBeUndefined();
    expect(lowestGap([], 0n)).toBeUndefined();
    expect(countMissing(ranges, 0n)).toBe(20n);
    expect(countMissing(ranges, 25n)).toBe(5n);
    expect(countMissing(ranges, 50n)).toBe(0n);
    expect(countIndexed(ranges)).toBe(20n);
  });

  it('give up the shortest stretch of internal transfers when they become too many', () => {
    const many: HeightRange[] = [];
    for (let i = 0; i < MAX_RANGES; i++) many.push(range(i * 100, i * 100 + 99, i % 2 === 0));
    const next = addRange(many, added(MAX_RANGES * 100, MAX_RANGES * 100, true));
    expect(next.length).toBeLessThanOrEqual(MAX_RANGES);
    expect(next.slice(0, -1)).toEqual(many.slice(0, -1));
    expect(next.at(-1)).toEqual(range((MAX_RANGES - 1) * 100, MAX_RANGES * 100, false));
  });

  it('claim exactly the heights that were added, and internal transfers only where there are some', () => {
    const step = fc.record({
      at: fc.nat(200),
      length: fc.integer({ min: 1, max: 5 }),
      isTraced: fc.constantFrom(true, false, null),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 150 }), (steps) => {
        const traced = new Map<bigint, boolean | null>();
        let ranges: HeightRange[] = [];
        for (const { at, length, isTraced } of steps) {
          const heights = Array.from({ length }, (_, i) => BigInt(at + i));
          if (heights.some((height) => traced.has(height))) continue;
          ranges = addRange(ranges, added(at, at + length - 1, isTraced));
          for (const height of heights) traced.set(height, isTraced);
        }
        const claimed = new Map<bigint, boolean>();
        for (const { from, to, isTraced } of ranges) {
          for (let height = from; height <= to; height++) claimed.set(height, isTraced);
        }
        expect([...claimed.keys()].sort()).toEqual([...traced.keys()].sort());
        for (const [height, isTraced] of claimed) {
          if (isTraced) expect(traced.get(height)).not.toBe(false);
        }
        for (const [i, { from, to, isTraced }] of ranges.entries()) {
          expect(from <= to).toBe(true);
          const next = ranges[i + 1];
          if (next === undefined) continue;
          expect(to < next.from).toBe(true);
          expect(to + 1n === next.from && isTraced === next.isTraced).toBe(false);
        }
      }),
    );
  });
});
