import { describe, expect, it } from '@jest/globals';
import { PenaltyBox } from './penalty-box.js';

const limits = { benchMs: 100, maxBenchMs: 500, forgiveAfterMs: 1000, maxBenchedNodes: 3 };

describe(PenaltyBox.name, () => {
  it('leaves a node alone for a while', () => {
    const box = new PenaltyBox(limits);
    expect(box.reason('a', 0)).toBeUndefined();
    expect(box.add('a', 'it lied', 1000)).toBe(1100);
    expect(box.reason('a', 1099)).toBe('it lied');
    expect(box.reason('a', 1100)).toBeUndefined();
    expect(box.reason('b', 1050)).toBeUndefined();
  });

  it('leaves a node alone for longer each time, up to a limit', () => {
    const box = new PenaltyBox(limits);
    const until = [0, 200, 500, 1000, 2000].map((nowMs) => box.add('a', 'again', nowMs) - nowMs);
    expect(until).toEqual([100, 200, 400, 500, 500]);
  });

  it('counts what happens while a node is in it as the same offence', () => {
    const box = new PenaltyBox(limits);
    expect(box.add('a', 'first', 0)).toBe(100);
    expect(box.add('a', 'second', 50)).toBe(100);
    expect(box.add('a', 'third', 100)).toBe(300);
  });

  it('forgives a node that has behaved for a while', () => {
    const box = new PenaltyBox(limits);
    box.add('a', 'first', 0);
    expect(box.add('a', 'second', 1101)).toBe(1201);
  });

  it('remembers a bounded number of nodes', () => {
    const box = new PenaltyBox(limits);
    ['a', 'b', 'c', 'd'].forEach((nodeId) => box.add(nodeId, 'it lied', 0));
    expect(['a', 'b', 'c', 'd'].map((nodeId) => box.reason(nodeId, 1) !== undefined)).toEqual([
      false,
      true,
      true,
      true,
    ]);
  });
});
