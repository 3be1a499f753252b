import { describe, expect, it } from '@jest/globals';
import { readWarpRules } from './warp-rules.js';

const warp = (blockTimestamp: number, more: object = {}) => ({ warpConfig: { blockTimestamp, ...more } });
const withUpgrades = (...precompileUpgrades: object[]) => ({
  chainId: 7,
  ...warp(10, { quorumNumerator: 80 }),
  upgrades: { precompileUpgrades },
});

describe(readWarpRules.name, () => {
  it.each([
    ['of a genesis, with the defaults', warp(0), [67, false]],
    ['with 0 for the default', warp(0, { quorumNumerator: 0 }), [67, false]],
    ['of a genesis', warp(0, { quorumNumerator: 75, requirePrimaryNetworkSigners: true }), [75, true]],
    [
      'of the last upgrade that has come',
      withUpgrades(warp(20, { disable: true }), warp(30, { requirePrimaryNetworkSigners: true }), warp(101)),
      [67, true],
    ],
    ['before any upgrade', withUpgrades(warp(101, { disable: true })), [80, false]],
    [
      'beside upgrades of others',
      withUpgrades({ contractNativeMinterConfig: { blockTimestamp: 50 } }),
      [80, false],
    ],
  ])('are those %s', (_, config, [quorumNumerator, requirePrimaryNetworkSigners]) => {
    expect(readWarpRules(config, 100)).toEqual({ quorumNumerator, requirePrimaryNetworkSigners });
  });

  it.each([
    ['Warp is disabled', withUpgrades(warp(20, { disable: true }))],
    ['Warp begins later', warp(101)],
    ['there is none', { chainId: 7 }],
    ['the quorum is none', warp(0, { quorumNumerator: 101 })],
    ['nothing can be read', 'EVM'],
  ])('are unknown where %s', (_, config) => {
    expect(readWarpRules(config, 100)).toBeUndefined();
  });
});
