import { describe, expect, it } from '@jest/globals';
import { knownUpgrades, NEVER, toUpgradeTimes, upgradeDifference } from './upgrade-times.js';

const MAINNET = 1;
const FUJI = 5;
const times = { banff: 100, cortina: 200, durango: 300, etna: 400, helicon: 500 };

describe(knownUpgrades.name, () => {
  it('includes Helicon where it is live, and leaves other networks to their nodes', () => {
    expect(knownUpgrades(MAINNET)?.helicon).toBe(Date.UTC(2026, 8, 22, 15) / 1000);
    expect(knownUpgrades(FUJI)?.helicon).toBe(Date.UTC(2026, 6, 28, 15) / 1000);
    expect(knownUpgrades(12345)).toBeUndefined();
  });

  it.each([MAINNET, FUJI])('lists the upgrades on network %d in their order', (networkId) => {
    const { banff, cortina, durango, etna, helicon } = knownUpgrades(networkId)!;
    expect([banff, cortina, durango, etna, helicon]).toEqual(
      [banff, cortina, durango, etna, helicon].toSorted((a, b) => a - b),
    );
  });
});

describe(toUpgradeTimes.name, () => {
  it('takes an upgrade that a node has not heard of for one without a date', () => {
    const { helicon, ...others } = times;
    expect(toUpgradeTimes(new Map(Object.entries(others)))).toEqual({ ...times, helicon: NEVER });
    expect(helicon).toBeLessThan(NEVER);
  });
});

describe(upgradeDifference.name, () => {
  it('names only what has come into force', () => {
    expect(upgradeDifference(times, times, 1_000)).toBeUndefined();
    expect(upgradeDifference({ ...times, helicon: 600 }, times, 499)).toBeUndefined();
    expect(
      upgradeDifference({ ...times, helicon: NEVER }, { ...times, helicon: 9 ** 11 }, 1_000),
    ).toBeUndefined();
  });

  it('names the upgrade and both dates, whichever comes first', () => {
    expect(upgradeDifference({ ...times, helicon: NEVER }, times, 500)).toBe(
      'helicon never, not 1970-01-01T00:08:20.000Z',
    );
    expect(upgradeDifference(times, { ...times, helicon: NEVER }, 500)).toBe(
      'helicon 1970-01-01T00:08:20.000Z, not never',
    );
    expect(upgradeDifference({ ...times, banff: 99 }, times, 99)).toMatch(/^banff 1970-01-01T00:01:39/);
  });
});
