import { describe, expect, it } from '@jest/globals';
import { publishedCheckpoints } from './checkpoints.js';

describe(publishedCheckpoints.name, () => {
  it.each([1, 5])('has 99 of each chain of network %d', async (networkId) => {
    const all = await Promise.all([
      publishedCheckpoints(networkId, 'pChain'),
      publishedCheckpoints(networkId, 'xChain'),
    ]);
    expect(all.map((ids) => new Set(ids).size)).toEqual([99, 99]);
    expect(all.flat().every((id) => /^[0-9a-f]{64}$/.test(id))).toBe(true);
  });

  it('has none of other networks', async () => {
    expect(await publishedCheckpoints(12_345, 'pChain')).toEqual([]);
  });
});
