import { describe, expect, it } from '@jest/globals';
import { stakingFlags } from './staking-flags.js';

describe(stakingFlags.name, () => {
  const binaries = { avalanchego: '', pluginFolder: '', stakingFolder: '' };

  it('names no flag that the version does not know', () => {
    const version = { major: 1, minor: 14, patch: 2 };
    expect(stakingFlags({ ...binaries, version }, 20)).toEqual(['--min-stake-duration=20s']);
  });

  it.each([
    { major: 1, minor: 15, patch: 0 },
    { major: 2, minor: 0, patch: 0 },
  ])('sets both minimums for $major.$minor', (version) => {
    expect(stakingFlags({ ...binaries, version }, 10)).toEqual([
      '--min-stake-duration=10s',
      '--helicon-min-stake-duration=10s',
    ]);
  });
});
