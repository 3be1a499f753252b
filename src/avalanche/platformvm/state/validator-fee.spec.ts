import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { advanceExcess, validatorCost, type ValidatorFeeConfig, validatorPrice } from './validator-fee.js';
import { MAX_UINT64 } from '../../codec/packer.js';

const MAINNET: ValidatorFeeConfig = {
  target: 10_000n,
  minPrice: 512n,
  excessConversionConstant: 1_246_488_515n,
};

describe(validatorPrice.name, () => {
  it('gives the lowest price without excess', () => {
    expect(validatorPrice(MAINNET, 0n)).toBe(512n);
  });

  it('doubles with every day that 20,000 validators are active', () => {
    const day = 24n * 60n * 60n * (20_000n - 10_000n);
    expect(validatorPrice(MAINNET, day)).toBe(1_024n);
    expect(validatorPrice(MAINNET, day - 10_000_000n)).toBe(1_015n);
    expect(Number(validatorPrice(MAINNET, 10n * day)) / 2 ** 10 / 512).toBeCloseTo(1, 4);
  });

  it('stays within uint64', () => {
    expect(validatorPrice(MAINNET, MAX_UINT64)).toBe(MAX_UINT64);
  });
});

describe(validatorCost.name, () => {
  it('adds up the prices of single seconds', () => {
    const counts = fc.bigInt({ min: 0n, max: 20_000n });
    const excesses = fc.bigInt({ min: 0n, max: 10_000_000n });
    fc.assert(
      fc.property(counts, excesses, fc.integer({ min: 0, max: 200 }), (activeValidators, start, seconds) => {
        let excess = start;
        let sum = 0n;
        for (let second = 0; second < seconds; second++) {
          excess = advanceExcess(MAINNET, { excess, activeValidators }, 1n);
          sum += validatorPrice(MAINNET, excess);
        }
        const fee = { excess: start, activeValidators };
        expect(validatorCost(MAINNET, fee, BigInt(seconds))).toBe(sum);
        expect(advanceExcess(MAINNET, fee, BigInt(seconds))).toBe(excess);
      }),
    );
  });

  it('takes one step for a year without excess', () => {
    const year = 365n * 24n * 60n * 60n;
    expect(validatorCost(MAINNET, { excess: 0n, activeValidators: 3n }, year)).toBe(512n * year);
  });
});
