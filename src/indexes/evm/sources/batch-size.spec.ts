import { describe, expect, it } from '@jest/globals';
import { BatchSize } from './batch-size.js';

const MAX = 2_000;
const QUICK = { rows: 10, tookMs: 1 };

describe(BatchSize.name, () => {
  it('grows while batches are small, up to its limit', () => {
    const size = new BatchSize(MAX);
    for (let i = 0; i < 10; i++) size.note({ blocks: Number(size.current), ...QUICK });
    expect(size.current).toBe(2_000n);
  });

  it.each([
    ['rows', { ...QUICK, rows: 80_000 }],
    ['time', { ...QUICK, tookMs: 8_000 }],
    ['bytes', { ...QUICK, bytes: 64 * 2 ** 20 }],
  ])('is a quarter after a batch of four times the %s', (_, batch) => {
    const size = new BatchSize(MAX);
    size.note({ blocks: 64, ...batch });
    expect(size.current).toBe(16n);
  });
});
