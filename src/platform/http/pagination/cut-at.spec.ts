import { describe, expect, it } from '@jest/globals';
import { cutAt } from './cut-at.js';

const cut = (max: number, sizes: readonly number[]): number[] => cutAt(max, sizes, (size) => size);

describe(cutAt.name, () => {
  it('takes rows up to a size, in order and without gaps', () => {
    const all = [4, 5, 3, 2];
    expect(cut(100, all)).toEqual(all);
    expect(cut(9, all)).toEqual([4, 5]);
    expect(cut(8, all)).toEqual([4]);
    expect(cut(11, all)).toEqual([4, 5]);
  });

  it('takes the first one however large it is', () => {
    expect(cut(1, [9, 0])).toEqual([9]);
    expect(cut(1, [])).toEqual([]);
  });
});
