import { describe, expect, it } from '@jest/globals';
import { internetValidators } from './internet.js';

const AVAX = 10n ** 9n;

function sharesOf(validators: ReturnType<typeof internetValidators>) {
  const heaviestFirst = validators.toSorted((a, b) => Number((b.weight ?? 0n) - (a.weight ?? 0n)));
  const total = validators.reduce((sum, { weight = 0n }) => sum + weight, 0n);
  const shareOf = (some: typeof validators): number =>
    Number((some.reduce((sum, { weight = 0n }) => sum + weight, 0n) * 10_000n) / total) / 100;
  return { heaviestFirst, total, shareOf };
}

describe(internetValidators.name, () => {
  const validators = internetValidators(930, 'seed');
  const { heaviestFirst, total, shareOf } = sharesOf(validators);

  it('gives stakes that mainnet allows, in sum about what is staked there', () => {
    expect(heaviestFirst.every(({ weight = 0n }) => weight >= 2_000n * AVAX)).toBe(true);
    expect(heaviestFirst[0]?.weight).toBeLessThanOrEqual(3_000_000n * AVAX);
    expect(total / AVAX).toBeGreaterThan(190_000_000n);
    expect(total / AVAX).toBeLessThan(230_000_000n);
  });

  it('gives most of the stake to a few', () => {
    expect(shareOf(heaviestFirst.slice(0, 180))).toBeGreaterThan(67);
    expect(shareOf(heaviestFirst.slice(465))).toBeLessThan(4);
  });

  it('places all validators between 50 and 250 ms away', () => {
    const roundTrips = validators.map(({ roundTripMs = 0 }) => roundTripMs);
    expect(Math.min(...roundTrips)).toBeGreaterThanOrEqual(50);
    expect(Math.max(...roundTrips)).toBeLessThanOrEqual(250);
    expect(new Set(roundTrips).size).toBeGreaterThan(100);
  });

  it('makes a tenth unreachable, half of those without an address, with a tenth of the stake', () => {
    const blackHoles = validators.filter(({ behaviour }) => behaviour === 'black-hole');
    const addressless = validators.filter(({ address }) => address === 'none');
    expect([blackHoles.length, addressless.length]).toEqual([47, 46]);
    expect(shareOf([...blackHoles, ...addressless])).toBeGreaterThan(9);
    expect(shareOf([...blackHoles, ...addressless])).toBeLessThan(11);
  });

  it('makes the same validators of the same seed, and others of another', () => {
    expect(internetValidators(930, 'seed')).toEqual(validators);
    const others = internetValidators(930, 'another');
    expect(others.map(({ weight }) => weight)).not.toEqual(validators.map(({ weight }) => weight));
    expect(sharesOf(others).total).toBe(total);
  });

  it('keeps its proportions with few validators', () => {
    const few = internetValidators(20, 'seed');
    expect(few.filter(({ behaviour, address }) => behaviour ?? address)).toHaveLength(2);
  });
});
