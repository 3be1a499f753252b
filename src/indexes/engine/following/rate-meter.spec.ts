import { describe, expect, it } from '@jest/globals';
import { RateMeter } from './rate-meter.js';

describe(RateMeter.name, () => {
  it('reports the speed of the last while only', () => {
    let now = 1_000_000;
    const meter = new RateMeter(() => now);
    expect(meter.blocksPerSecond).toBe(0);
    meter.add(0n);
    expect(meter.blocksPerSecond).toBe(0);
    now += 2_000;
    meter.add(100n);
    expect(meter.blocksPerSecond).toBe(50);
    for (let height = 110n; height <= 400n; height += 10n) {
      now += 1_000;
      meter.add(height);
    }
    expect(meter.blocksPerSecond).toBe(10);
  });
});
