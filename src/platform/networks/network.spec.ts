import { afterEach, describe, expect, it } from '@jest/globals';
import { networkAt } from '../../../test/support/network.js';
import { PRIMARY_NETWORK_ID } from '../../avalanche/ids/id.js';
import type { IndexedPChainView } from './known-p-chain.js';
import { NetworkError } from './network.error.js';
import { Network } from './network.js';

const PROPOSED = 1_000n;

describe(Network.name, () => {
  let network: Network;

  afterEach(() => network.close());

  /** A P-chain of which so many answers are those of a node behind the others; it has the sets of a few heights. */
  const withLaggards = (laggards: number): void => {
    let left = laggards;
    const pChain: Partial<IndexedPChainView> = {
      whyBehind: async () => undefined,
      getProposedHeight: async () => PROPOSED,
      getValidatorsAt: async (_, height) => {
        left -= 1;
        if (height > PROPOSED || left >= 0) throw new NetworkError('HEIGHT_IN_FUTURE', 'above the tip');
        if (height < PROPOSED - 500n) throw new NetworkError('HEIGHT_NOT_AVAILABLE', 'pruned');
        return [{ nodeId: 'NodeID-a', publicKey: null, weight: 1n }];
      },
    };
    network = networkAt([]);
    network.pChain.useIndex(pChain as IndexedPChainView);
  };
  const setAt = (pChainHeight: bigint) =>
    network.getValidatorSet({ subnetId: PRIMARY_NETWORK_ID, pChainHeight });

  it('has the set at a height that it proposes, although a node behind the others is asked first', async () => {
    withLaggards(1);
    expect(await setAt(0n)).toMatchObject({ pChainHeight: PROPOSED });
    withLaggards(1);
    expect(await setAt(PROPOSED)).toMatchObject({ pChainHeight: PROPOSED });
    withLaggards(1);
    expect(await setAt(PROPOSED - 1n)).toMatchObject({ pChainHeight: PROPOSED - 1n });
  });

  it('says at once that a height is above the tip, or too old', async () => {
    withLaggards(0);
    await expect(setAt(PROPOSED + 1n)).rejects.toMatchObject({ code: 'HEIGHT_IN_FUTURE' });
    await expect(setAt(1n)).rejects.toMatchObject({ code: 'HEIGHT_NOT_AVAILABLE' });
  });
});
