import { describe, expect, it } from '@jest/globals';
import { findAccountHistories } from '../../avalanche/evm/history/account-history.js';
import { makeRandom } from '../../../sandbox/generated/evm-chain-generator.js';
import { SearchEstimate } from './search-estimate.js';

const A = '0x00000000000000000000000000000000000000aa';
const CALLS_PER_BLOCK = 4;

interface Shape {
  readonly blocks: number;
  readonly sent: number;
  readonly received: number;
  readonly windows?: number;
}

/** After each call of a search: how many calls it was, and what was estimated. */
async function search({ blocks, sent, received, windows = 0 }: Shape) {
  const random = makeRandom(3);
  const heights = (count: number): number[] => Array.from({ length: count }, () => 1 + random(blocks - 1));
  const [sends, receipts] = [heights(sent), heights(received)];
  const range = { from: 0n, to: BigInt(blocks) };
  const estimate = new SearchEstimate(range);
  const seen: { calls: number; done: number }[] = [];
  const known = new Set<string>();
  let calls = 0;
  const call = (count: number, act: () => void): void => {
    calls += count;
    act();
    seen.push({ calls, done: estimate.done });
  };

  call(2, () => {
    estimate.answer(2);
    estimate.expect(sent);
  });
  for (let window = 1; window <= windows; window += 1) {
    call(6, () => estimate.searchLogs(1, (range.to * BigInt(window)) / BigInt(windows)));
  }
  const upTo = (all: readonly number[], height: bigint): bigint =>
    BigInt(all.filter((each) => each <= height).length);
  const [history] = await findAccountHistories([A], range, (queries) => {
    const keys = new Set(queries.map(({ field, height }) => `${field} ${height}`));
    const missing = [...keys].filter((key) => !known.has(key));
    estimate.beginRound(queries, missing.length);
    for (const key of missing) {
      call(1, () => estimate.answer(1));
      known.add(key);
    }
    return Promise.resolve(
      queries.map(({ field, height }) =>
        field === 'nonce'
          ? upTo(sends, height)
          : 1_000_000n - upTo(sends, height) + upTo(receipts, height) * 1_000n,
      ),
    );
  });
  const found = history?.changes.length ?? 0;
  estimate.endRounds(found);
  seen.push({ calls, done: estimate.done });
  return { seen, found, total: calls + found * CALLS_PER_BLOCK };
}

describe('the estimate of a search', () => {
  it.each([
    ['a month of an ordinary account', { blocks: 2_550_000, sent: 51, received: 34 }],
    [
      'a node that answers for few blocks at a time',
      { blocks: 2_550_000, sent: 51, received: 34, windows: 1_245 },
    ],
    ['an account that rather sends', { blocks: 1_000_000, sent: 200, received: 110 }],
    ['one that rather receives', { blocks: 1_000_000, sent: 40, received: 80 }],
    ['a change in every tenth block', { blocks: 10_000, sent: 500, received: 500 }],
  ])('is right within a factor of two after a tenth of it: %s', async (_, shape) => {
    const { seen, total } = await search(shape);
    const ratios = seen
      .filter(({ calls }) => calls > 0.1 * total && calls < 0.9 * total)
      .map(({ calls, done }) => (calls * (1 - done)) / done / (total - calls));
    expect(ratios.length).toBeGreaterThan(100);
    expect(Math.min(...ratios)).toBeGreaterThan(0.5);
    expect(Math.max(...ratios)).toBeLessThan(2);
  });

  it('hardly falls', async () => {
    const { seen } = await search({ blocks: 2_550_000, sent: 51, received: 34 });
    let highest = 0;
    for (const { done } of seen) {
      expect(done).toBeGreaterThan(highest - 0.05);
      highest = Math.max(highest, done);
    }
  });

  it('leaves what there is to be read of the blocks', async () => {
    const { seen, found, total } = await search({ blocks: 100_000, sent: 30, received: 30 });
    expect(seen.at(-1)?.done).toBeCloseTo((total - found * CALLS_PER_BLOCK) / total);
  });

  it('goes on where a search before it stood', () => {
    const shape = { from: 0n, to: 2_550_000n };
    const first = new SearchEstimate(shape);
    const next = new SearchEstimate(shape);
    for (const estimate of [first, next]) estimate.expect(51);
    first.searchLogs(3, 1_000_000n);
    first.searchLogs(4, 2_550_000n);
    first.answer(500);
    next.answer(500);
    next.searchLogs(7, 2_550_000n);
    expect(next.done).toBe(first.done);
  });

  it('is nothing before anything is known, and a share whatever nodes answer', () => {
    const estimate = new SearchEstimate({ from: -1n, to: 100n });
    expect(estimate.done).toBe(0);
    estimate.answer(4);
    expect(estimate.done).toBe(0);
    estimate.expect(2 ** 60);
    estimate.searchLogs(1, 500n);
    expect(estimate.done).toBeGreaterThan(0);
    expect(estimate.done).toBeLessThan(1);
    estimate.endRounds(0);
    expect(estimate.done).toBe(1);
  });
});
