import { describe, expect, it, jest } from '@jest/globals';

/** The looks at a chain are half a second apart. */
jest.unstable_mockModule('node:timers/promises', () => ({ setTimeout: () => Promise.resolve() }));
const { compareAtOneHeight } = await import('./compare-at-one-height.js');

/** The values that a node answers with, attempt by attempt; ours is 1. The chain stands still. */
const found = async (answers: readonly number[]): Promise<readonly string[] | undefined> => {
  const left = [...answers];
  const differences = await compareAtOneHeight({
    height: () => Promise.resolve(7n),
    stateAt: () => Promise.resolve(1),
    run: (ours, found) => {
      found.compare('value', ours, left.shift() ?? 1);
      return Promise.resolve();
    },
    signal: new AbortController().signal,
  });
  expect(left).toEqual([]);
  return differences?.found;
};

describe(compareAtOneHeight.name, () => {
  it('finds nothing where everything is equal', async () => {
    expect(await found([1])).toEqual([]);
  });

  it('takes a difference that is gone at a second look for that of a node that lags behind the same address', async () => {
    expect(await found([2, 1])).toEqual([]);
  });

  it('reports a difference that stays', async () => {
    expect(await found([2, 2])).toEqual(['value: database 1, node 2']);
  });

  it('compares nothing when the chain does not stand still for a second look', async () => {
    const states = [1, 1]; // before and after the first look
    const differences = await compareAtOneHeight({
      height: () => Promise.resolve(7n),
      stateAt: () => Promise.resolve(states.shift()),
      run: (ours, found) => {
        found.compare('value', ours, 2);
        return Promise.resolve();
      },
      signal: new AbortController().signal,
    });
    expect(differences).toBeNull();
  });
});
