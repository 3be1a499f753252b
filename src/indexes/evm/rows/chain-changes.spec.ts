import { describe, expect, it, jest } from '@jest/globals';
import { ChainChanges } from './chain-changes.js';

const [OURS, OTHER] = [1n, 2n].map((chainId) => ({ network: 'fuji' as const, chainId }));
const LONG = 20_000;

describe(ChainChanges.name, () => {
  if (OURS === undefined || OTHER === undefined) throw new Error('no chains');

  it('wakes who waits for changes of the chain, and nobody else', async () => {
    const changes = new ChainChanges();
    const { signal } = new AbortController();
    let isOtherAwake = false;
    const other = new AbortController();
    const sleeping = changes
      .wait(OTHER, 0, { maxMs: LONG, signal: other.signal })
      .finally(() => (isOtherAwake = true));
    const waiting = changes.wait(OURS, 0, { maxMs: LONG, signal });
    changes.note(OURS);
    await waiting;
    expect([changes.countOf(OURS), changes.countOf(OTHER), isOtherAwake]).toEqual([1, 0, false]);
    other.abort(new Error('enough'));
    await expect(sleeping).rejects.toThrow('enough');
  });

  it('wakes who waits when another process has written, and looks only while somebody waits', async () => {
    jest.useFakeTimers();
    try {
      const marks = ['first', 'first', 'second'];
      const asked: string[] = [];
      const changes = new ChainChanges(async ([known]) => {
        asked.push(known?.mark ?? 'nothing');
        const mark = marks.shift() ?? 'third';
        return known === undefined || known.mark === mark ? [] : [{ chain: known.chain, mark }];
      });
      const { signal } = new AbortController();
      const lookTwice = changes
        .wait(OURS, 0, { maxMs: LONG, signal })
        .then(() => changes.wait(OURS, 1, { maxMs: LONG, signal }));
      await jest.advanceTimersByTimeAsync(LONG);
      await lookTwice;
      expect([asked, changes.countOf(OURS)]).toEqual([['', 'first', 'first'], 2]);
    } finally {
      jest.useRealTimers();
    }
  });

  it('lets nobody wait for what has been already, or for longer than he wants', async () => {
    const changes = new ChainChanges();
    const { signal } = new AbortController();
    changes.note(OURS);
    await changes.wait(OURS, 0, { maxMs: LONG, signal });
    await changes.wait(OURS, 1, { maxMs: 1, signal });
    expect(changes.countOf(OURS)).toBe(1);
  });
});
