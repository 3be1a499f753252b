import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Hex } from '../../src/avalanche/evm/rpc/hex-values.js';
import { toHex } from '../../src/avalanche/ids/hex.js';
import { PRIMARY_NETWORK_ID } from '../../src/avalanche/ids/id.js';
import { MessageReceiver } from '../../tools/localnet/contracts/artifacts.js';
import { deliverMessage, sendMessage } from '../../tools/localnet/l1/messenger.js';
import { GENESIS_TIME } from '../../tools/localnet/l1/start-l1.js';
import { toText } from '../../tools/localnet/scenario/wallet.js';
import { signForDestination, startL1ForTest, type L1TestBed } from '../support/real-nodes/local-l1.js';

const HELLO: Hex = '0x68656c6c6f';

/** Its genesis states the contrary. */
const UPGRADE = {
  precompileUpgrades: [
    { warpConfig: { blockTimestamp: GENESIS_TIME + 10, disable: true } },
    {
      warpConfig: {
        blockTimestamp: GENESIS_TIME + 20,
        quorumNumerator: 67,
        requirePrimaryNetworkSigners: true,
      },
    },
  ],
};

describe('an L1 of real nodes that requires primary network signers', () => {
  let bed: L1TestBed;

  beforeAll(async () => {
    bed = await startL1ForTest(UPGRADE);
  });

  it('accepts what the primary network has signed, and refuses what its own validators have', async () => {
    const { chain, cChain } = bed.l1;
    const receiver = await chain.wallet.deploy({ from: chain.funded, data: MessageReceiver.bytecode });
    const { unsignedMessage } = await sendMessage(cChain, { to: chain, receiver, message: HELLO });
    const own = await bed.service.aggregate({
      message: toHex(unsignedMessage),
      destinationBlockchainId: toText(chain.blockchainId),
      signingSubnetId: toText(chain.subnetId),
      quorumPercentage: 100,
    });
    expect(own).toMatchObject({ status: 201, body: { delivery: { verification: { isAccepted: false } } } });

    const { signedMessage, delivery } = await signForDestination(bed.service, chain, unsignedMessage);
    expect(delivery).toMatchObject({
      signingSubnetId: PRIMARY_NETWORK_ID,
      verification: { isAccepted: true },
    });
    const events = await deliverMessage(chain, signedMessage);
    expect(events.map(({ eventName }) => eventName)).toEqual(['ReceiveCrossChainMessage', 'MessageExecuted']);
  });
});
