import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { calculateReward, primaryRewardConfig, type RewardConfig, splitReward } from './rewards.js';
import { AVAX } from './chain-rules.js';

const PRIMARY: RewardConfig = {
  minConsumptionRate: 100_000n,
  maxConsumptionRate: 120_000n,
  supplyCap: 720_000_000n * AVAX,
};
const YEAR = 365 * 24 * 60 * 60;

describe(calculateReward.name, () => {
  it('gives 12 % of the remaining supply for all of the supply and a whole year', () => {
    const supply = 360_000_000n * AVAX;
    expect(calculateReward(PRIMARY, { seconds: YEAR, amount: supply, supply })).toBe(
      (360_000_000n * AVAX * 12n) / 100n,
    );
  });

  it('never gives more than what remains below the cap', () => {
    const amounts = fc.bigInt({ min: 1n, max: PRIMARY.supplyCap });
    fc.assert(
      fc.property(amounts, amounts, fc.integer({ min: 1, max: 100 * YEAR }), (amount, supply, seconds) => {
        const reward = calculateReward(PRIMARY, { seconds, amount, supply });
        expect(reward).toBeGreaterThanOrEqual(0n);
        expect(reward).toBeLessThanOrEqual(PRIMARY.supplyCap - supply);
      }),
    );
  });

  it('pays a longer stake more per second', () => {
    const stake = { amount: 2_000n * AVAX, supply: 400_000_000n * AVAX };
    const short = calculateReward(PRIMARY, { ...stake, seconds: YEAR / 4 });
    const long = calculateReward(PRIMARY, { ...stake, seconds: YEAR / 2 });
    expect(long).toBeGreaterThan(2n * short);
  });
});

describe(splitReward.name, () => {
  it('rounds in favour of the validator, as seen on a live network', () => {
    expect(splitReward(229_948n, 200_000)).toEqual({ taken: 45_990n, left: 183_958n });
  });

  it('gives everything away with a share of 100 %, and nothing with none', () => {
    expect(splitReward(77n, 1_000_000)).toEqual({ taken: 77n, left: 0n });
    expect(splitReward(77n, 0)).toEqual({ taken: 0n, left: 77n });
  });

  it('rounds to millions before it would leave uint64', () => {
    const amount = 2n ** 63n + 999_999n;
    const millions = amount / 1_000_000n;
    expect(splitReward(amount, 20_000).left).toBe(980_000n * millions);
  });

  it('loses nothing of the reward', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
        fc.nat({ max: 1_000_000 }),
        (amount, shares) => {
          const { taken, left } = splitReward(amount, shares);
          expect(taken + left).toBe(amount);
          expect(left).toBeGreaterThanOrEqual(0n);
        },
      ),
    );
  });
});

describe(primaryRewardConfig.name, () => {
  const helicon = 1_000_000;
  const day = 24 * 60 * 60;

  it.each([
    ['before Helicon', -1, 100_000n],
    ['at Helicon', 0, 100_000n],
    ['after a third of the ramp', 30 * day, 91_667n],
    ['in its middle', 45 * day, 87_500n],
    ['at its end', 90 * day, 75_000n],
    ['long after', 900 * day, 75_000n],
  ])('sets the lowest rate %s', (_, offset, rate) => {
    const { minConsumptionRate } = primaryRewardConfig(PRIMARY, { start: helicon + offset, helicon });
    expect(minConsumptionRate).toBe(rate);
  });
});
