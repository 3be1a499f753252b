import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { digitsUpTo } from './patterns.js';

describe(digitsUpTo.name, () => {
  it('fits exactly the whole numbers up to the largest', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 10n, max: 2n ** 256n }),
        fc.bigInt({ min: 0n, max: 2n ** 256n }),
        (max, number) => {
          const pattern = new RegExp(digitsUpTo(max));
          const near = [max - 1n, max, max + 1n, number % (2n * max), number];
          for (const each of near) expect(pattern.test(String(each))).toBe(each <= max);
        },
      ),
    );
  });

  it('fits nothing else', () => {
    for (const text of ['', '-1', '1.5', '1e2', ' 1', '0x1']) {
      expect(text).not.toMatch(new RegExp(digitsUpTo(100n)));
    }
  });
});
