import { describe, expect, it } from '@jest/globals';
import { type SupplyParts, supplyFigures } from './supply.js';

const PARTS: SupplyParts = {
  rewards: 99_186_786_832_589_385n,
  pBurned: 15_039_562_266_619n,
  l1ValidatorFees: 6_786_673_898_334n,
  xBurned: 45_577_899_113_621n,
  cBurnedWei: 4_868_917_656_222_642_630_000_001n,
  staked: 199_605_247_611_120_000n,
  locked: 36_162_978_317_860_000n,
};

/** In wei. */
const toWei = (text: string): bigint => {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(18, '0'));
};

describe(supplyFigures.name, () => {
  it('writes whole AVAX with nine decimals, and all of them where there are more', () => {
    expect(supplyFigures(PARTS)).toEqual({
      circulatingSupply: '454257251.714986502369999999',
      totalSupply: '454257251.714986502369999999',
      totalPBurned: '15039.562266619',
      totalCBurned: '4868917.656222642630000001',
      totalXBurned: '45577.899113621',
      totalStaked: '199605247.611120000',
      totalLocked: '36162978.317860000',
      totalRewards: '99186786.832589385',
      genesisUnlock: '360000000.000000000',
      l1ValidatorFees: '6786.673898334',
    });
    expect(supplyFigures({ ...PARTS, xBurned: 0n, cBurnedWei: 1n })).toMatchObject({
      totalXBurned: '0.000000000',
      totalCBurned: '0.000000000000000001',
    });
  });

  it.each<[keyof SupplyParts, readonly string[], bigint]>([
    ['rewards', ['totalRewards'], 10n ** 9n],
    ['pBurned', ['totalPBurned'], -(10n ** 9n)],
    ['xBurned', ['totalXBurned'], -(10n ** 9n)],
    ['cBurnedWei', ['totalCBurned'], -1n],
    ['l1ValidatorFees', ['l1ValidatorFees'], 0n],
    ['staked', ['totalStaked'], 0n],
    ['locked', ['totalLocked'], 0n],
  ])('moves the figure of %s and the sum, and nothing else', (part, moved, change) => {
    const [before, after] = [supplyFigures(PARTS), supplyFigures({ ...PARTS, [part]: PARTS[part] + 1n })];
    expect(toWei(after.totalSupply) - toWei(before.totalSupply)).toBe(change);
    const differing = Object.entries(after).filter(([name, text]) => Reflect.get(before, name) !== text);
    const sums = change === 0n ? [] : ['circulatingSupply', 'totalSupply'];
    expect(differing.map(([name]) => name).sort()).toEqual([...sums, ...moved].sort());
  });
});
