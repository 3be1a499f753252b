import { describe, expect, it, jest } from '@jest/globals';
import { networkAt } from '../../../../test/support/network.js';
import { makeAggregationInput } from '../../../../test/support/signatures/aggregation-inputs.js';
import { PRIMARY_NETWORK_ID } from '../../../avalanche/ids/id.js';
import { NetworkError } from '../../../platform/networks/network.error.js';
import { EpochHeights } from '../message/epoch-heights.js';
import { Deliveries } from './deliveries.js';
import type { ReceivingChains } from './receiving-chains.js';

const EPOCH = { number: 56n, startTimestampSeconds: 1_755_802_182, pChainHeight: 4_711n };

describe(Deliveries.name, () => {
  it('does not blame the caller for an epoch that the P-chain has not reached here', async () => {
    const network = networkAt([]);
    jest
      .spyOn(network, 'getValidatorSet')
      .mockRejectedValue(new NetworkError('HEIGHT_IN_FUTURE', 'pChainHeight: 4711 is above the tip'));
    const epochs = new EpochHeights(
      { next: async () => EPOCH },
      { ofBlockchain: () => undefined, nodesOf: () => [] },
    );
    const chains: Partial<ReceivingChains> = {
      findSigningSubnet: async () => PRIMARY_NETWORK_ID,
      findRules: async () => undefined,
    };
    const deliveries = new Deliveries(chains as ReceivingChains, epochs);
    const passage = { signedMessage: '', destinationBlockchainId: PRIMARY_NETWORK_ID };
    await expect(deliveries.describe(network, makeAggregationInput(''), passage)).rejects.toMatchObject({
      code: 'PROPOSED_HEIGHT_NOT_AVAILABLE',
    });
    network.close();
  });
});
