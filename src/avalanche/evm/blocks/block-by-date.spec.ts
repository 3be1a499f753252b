import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { findFirstBlockAtOrAfter } from './block-by-date.js';

/** A chain that knows its blocks' times and counts how often it is asked. */
function chainOf(times: readonly number[]) {
  const asked: bigint[] = [];
  const getHeader = async (height: bigint) => {
    asked.push(height);
    const timestampSeconds = times[Number(height)];
    if (timestampSeconds === undefined) throw new Error(`no block ${height}`);
    return { height, timestampSeconds };
  };
  return { asked, search: { lowestHeight: 0n, highestHeight: BigInt(times.length - 1), getHeader } };
}

/** Times that never fall and often repeat. */
const risingTimes = fc
  .array(fc.constantFrom(0, 0, 1, 2, 60), { minLength: 1, maxLength: 300 })
  .map((steps) => steps.reduce<number[]>((times, step) => [...times, (times.at(-1) ?? 1000) + step], []));

describe(findFirstBlockAtOrAfter.name, () => {
  it('finds what a search block by block finds, also among equal times and beyond both ends', async () => {
    await fc.assert(
      fc.asyncProperty(risingTimes, fc.integer({ min: 990, max: 3000 }), async (times, timestampSeconds) => {
        const { asked, search } = chainOf(times);
        const found = await findFirstBlockAtOrAfter({ ...search, timestampSeconds });
        const expected = times.findIndex((time) => time >= timestampSeconds);
        expect(found).toBe(expected === -1 ? undefined : BigInt(expected));
        expect(asked.length).toBeLessThanOrEqual(2 + Math.ceil(Math.log2(times.length)));
      }),
    );
  });

  it('needs 29 headers for a hundred million blocks', async () => {
    let asked = 0;
    const found = await findFirstBlockAtOrAfter({
      timestampSeconds: 2 * 61_803_398 + 1,
      lowestHeight: 0n,
      highestHeight: 100_000_000n,
      getHeader: async (height) => {
        asked += 1;
        return { height, timestampSeconds: 2 * Number(height) };
      },
    });
    expect(found).toBe(61_803_399n);
    expect(asked).toBeLessThanOrEqual(29);
  });

  it('refuses a node whose times run backwards', async () => {
    const { search } = chainOf([1000, 1001, 5000, 1003, 1004]);
    await expect(findFirstBlockAtOrAfter({ ...search, timestampSeconds: 1002 })).rejects.toMatchObject({
      code: 'MALFORMED',
    });
  });
});
