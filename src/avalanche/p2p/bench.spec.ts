import { describe, expect, it } from '@jest/globals';
import { Bench } from './bench.js';

const limits = { benchMs: 100, maxBenchMs: 500, forgiveAfterMs: 1000, maxBenchedNodes: 3 };

describe(Bench, () => {
  it('leaves a node alone for a while', () => {
    const bench = new Bench(limits);
    expect(bench.reason('a', 0)).toBeUndefined();
    expect(bench.add('a', 'it lied', 1000)).toBe(1100);
    expect(bench.reason('a', 1099)).toBe('it lied');
    expect(bench.reason('a', 1100)).toBeUndefined();
    expect(bench.reason('b', 1050)).toBeUndefined();
  });

  it('does so for longer each time, up to a limit', () => {
    const bench = new Bench(limits);
    const until = [0, 200, 500, 1000, 2000].map((nowMs) => bench.add('a', 'again', nowMs) - nowMs);
    expect(until).toEqual([100, 200, 400, 500, 500]);
  });

  it('counts what happens during a bench as the same offence', () => {
    const bench = new Bench(limits);
    expect(bench.add('a', 'first', 0)).toBe(100);
    expect(bench.add('a', 'second', 50)).toBe(100);
    expect(bench.add('a', 'third', 100)).toBe(300);
  });

  it('forgives', () => {
    const bench = new Bench(limits);
    bench.add('a', 'first', 0);
    expect(bench.add('a', 'second', 1101)).toBe(1201);
  });

  it('remembers a bounded number of nodes', () => {
    const bench = new Bench(limits);
    ['a', 'b', 'c', 'd'].forEach((nodeId) => bench.add(nodeId, 'it lied', 0));
    expect(['a', 'b', 'c', 'd'].map((nodeId) => bench.reason(nodeId, 1) !== undefined)).toEqual([
      false,
      true,
      true,
      true,
    ]);
  });
});
