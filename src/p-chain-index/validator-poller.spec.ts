import { describe, expect, it } from '@jest/globals';
import { medians } from './validator-poller.js';

const seen = (txId: string, uptime: number) => ({ txId, nodeId: `node of ${txId}`, uptime });

describe(medians.name, () => {
  it('takes the one in the middle, or between the two in the middle', () => {
    const views = [seen('a', 100), seen('a', 20), seen('a', 90), seen('b', 80), seen('b', 90), seen('c', 5)];
    expect(medians(views)).toEqual([seen('a', 90), seen('b', 85), seen('c', 5)]);
  });
});
