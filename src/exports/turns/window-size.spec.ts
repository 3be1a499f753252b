import { describe, expect, it } from '@jest/globals';
import { WindowSize } from './window-size.js';

/** Reads on with so many rows a height, at a million rows a second. */
function settle(window: WindowSize, rowsPerHeight: number, windows: number): number[] {
  return Array.from({ length: windows }, () => {
    const heights = window.current;
    const rows = Math.round(Number(heights) * rowsPerHeight);
    window.learn({ heights, rows, elapsedMs: rows / 1_000 });
    return rows;
  });
}

describe(WindowSize.name, () => {
  it.each([0.01, 1, 30, 5_000])('settles on windows of a fit size with %d rows a height', (rowsPerHeight) => {
    const rows = settle(new WindowSize(2_000), rowsPerHeight, 8).at(-1) ?? 0;
    expect(rows).toBeGreaterThanOrEqual(Math.min(15_000, 2_000_000 * rowsPerHeight));
    expect(rows).toBeLessThanOrEqual(200_000);
  });

  it('grows where nothing is found, within a bound', () => {
    const window = new WindowSize(2_000);
    settle(window, 0, 20);
    expect(window.current).toBe(2_000_000n);
  });

  it('shrinks when a window takes too long, down to a height', () => {
    const window = new WindowSize(100);
    for (let at = 0; at < 10; at += 1) window.learn({ heights: window.current, rows: 5, elapsedMs: 10_000 });
    expect(window.current).toBe(1n);
  });

  it('judges a window by what it had, also when it was cut short', () => {
    const window = new WindowSize(2_000);
    window.learn({ heights: 10n, rows: 100_000, elapsedMs: 100 });
    expect(window.current).toBe(10n);
  });
});
