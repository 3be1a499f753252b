import { beforeEach, describe, expect, it } from '@jest/globals';
import { testSecretKey } from '../../../../test/support/signatures/in-memory-network.js';
import { bls } from '../../../avalanche/bls/bls.js';
import { PRIMARY_NETWORK_ID } from '../../../avalanche/ids/id.js';
import { makeCanonicalValidatorSet } from '../../../avalanche/warp/canonical-validator-set.js';
import type { ValidatorSetAtHeight } from '../../../platform/networks/network.js';
import { TrackedSubnets } from './tracked-subnets.js';

/** The validators have the same keys and weights each time. */
function setAt(pChainHeight: bigint, nodeIds: readonly string[], subnetId = 'l1'): ValidatorSetAtHeight {
  const entries = nodeIds.map((nodeId, i) => ({
    nodeId,
    publicKey: bls.publicKeyOf(testSecretKey(i)).toCompressed(),
    weight: 1n,
  }));
  return { subnetId, pChainHeight, set: makeCanonicalValidatorSet(entries) };
}

describe(TrackedSubnets.name, () => {
  /** Node ids that are tracked, each as often as it is. */
  let wanted: string[];
  let tracked: number;
  let staked: string[];
  let subnets: TrackedSubnets;

  beforeEach(() => {
    [wanted, tracked, staked] = [[], 0, []];
    subnets = new TrackedSubnets({
      track: (nodeIds) => {
        tracked += 1;
        wanted.push(...nodeIds);
        return () => nodeIds.forEach((nodeId) => wanted.splice(wanted.indexOf(nodeId), 1));
      },
      setStaked: (nodeIds) => (staked = [...nodeIds]),
    });
  });

  it('follows a subnet from set to set', () => {
    subnets.want(setAt(10n, ['a', 'b']));
    subnets.want(setAt(11n, ['a', 'b', 'c']));
    expect(wanted.sort()).toEqual(['a', 'b', 'c']);
    expect(subnets.all()).toMatchObject([{ pChainHeight: 11n }]);
  });

  it('keeps the latest set while callers ask earlier ones, of which the last stays besides', () => {
    subnets.want(setAt(10n, ['a', 'b']));
    subnets.want(setAt(3n, ['x', 'b']));
    expect(wanted.sort()).toEqual(['a', 'b', 'b', 'x']);
    subnets.want(setAt(4n, ['y', 'b']));
    expect(wanted.sort()).toEqual(['a', 'b', 'b', 'y']);
    expect(subnets.all()).toMatchObject([{ pChainHeight: 10n }]);
    subnets.want(setAt(11n, ['a', 'b']));
    expect(tracked).toBe(3);
    subnets.close();
    expect(wanted).toEqual([]);
  });

  it('tracks no earlier set whose nodes are those of the latest', () => {
    subnets.want(setAt(10n, ['a', 'b']));
    subnets.want(setAt(3n, ['a', 'b']));
    expect(tracked).toBe(1);
  });

  it('notices a validator that has moved to another node with its key and weight', () => {
    const [before, after] = [setAt(10n, ['a', 'b']), setAt(11n, ['a', 'c'])];
    expect(after.set.digest).toBe(before.set.digest);
    subnets.want(before);
    subnets.want(after);
    expect(wanted.sort()).toEqual(['a', 'c']);
  });

  it('takes the stake of the latest set of the primary network, whatever is asked', () => {
    subnets.want(setAt(10n, ['a', 'b'], PRIMARY_NETWORK_ID));
    subnets.want(setAt(3n, ['x'], PRIMARY_NETWORK_ID));
    subnets.want(setAt(11n, ['y']));
    expect(staked.sort()).toEqual(['a', 'b']);
  });
});
