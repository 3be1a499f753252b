import { describe, expect, it } from '@jest/globals';
import { silentLogger } from '../../../test/support/silent-logger.js';
import { fromHex, toHex } from '../ids/hex.js';
import type { ChainAnswers, ChainQuestion } from '../p2p/messages/chain-question.js';
import type { ChainNetwork } from '../p2p/network/chain-network.js';
import { containerId, type Epoch, wrapBlock } from '../platformvm/codec/proposervm.js';
import { PRIMARY_NETWORK } from '../platformvm/ids.js';
import { ChainEpoch } from './chain-epoch.js';

const EPOCH_SECONDS = 300;

const containerOf = (block: { timestamp: number; pChainHeight: bigint; epoch: Epoch | null }): Uint8Array =>
  wrapBlock({
    type: 'block',
    parentId: PRIMARY_NETWORK,
    timestamp: BigInt(block.timestamp),
    pChainHeight: block.pChainHeight,
    certificate: new Uint8Array(),
    inner: new Uint8Array([1, 2, 3]),
    epoch: block.epoch,
    signature: new Uint8Array(),
  });

/** Nodes with such a last block each, in turn. */
function nodesWith(...containers: readonly Uint8Array[]): ChainNetwork {
  let asked = 0;
  return {
    connectedPeers: () => containers.map((_, index) => ({ nodeId: `node ${index}` })),
    ask: async <Question extends ChainQuestion>(question: Question) => {
      const answer =
        question.kind === 'pullQuery'
          ? { acceptedId: fromHex(containerId(containers[asked++ % containers.length]!)) }
          : containers.find(
              (container) =>
                'containerId' in question && containerId(container) === toHex(question.containerId),
            );
      return answer as ChainAnswers[Question['kind']];
    },
  };
}

const next = (containers: readonly Uint8Array[], accepted = containers) => {
  const ids = new Set(accepted.map(containerId));
  const options = { epochSeconds: EPOCH_SECONDS, logger: silentLogger };
  const acceptance = { confirm: async (id: string) => ids.has(id) };
  return new ChainEpoch(nodesWith(...containers), new Uint8Array(32), acceptance, options).next(
    AbortSignal.timeout(5_000),
  );
};

describe(ChainEpoch.name, () => {
  const epoch = { pChainHeight: 40n, number: 7n, startTime: 1_000n };

  it.each([
    ['the epoch of the last block, while that is not old enough', 1_299, epoch, [7n, 1_000, 40n]],
    ['a new one at the block that has ended the epoch', 1_300, epoch, [8n, 1_300, 55n]],
    ['the first at a block that has no epoch', 1_000, null, [1n, 1_000, 55n]],
  ])('is %s', async (_, timestamp, of, expected) => {
    const { number, startTimestampSeconds, pChainHeight } = await next([
      containerOf({ timestamp, pChainHeight: 55n, epoch: of }),
    ]);
    expect([number, startTimestampSeconds, pChainHeight]).toEqual(expected);
  });

  it('is 0 of a chain that has no blocks of proposers', async () => {
    expect(await next([new Uint8Array([0, 0, 9])])).toMatchObject({ number: 0n, pChainHeight: 0n });
  });

  it('is none that was not accepted', async () => {
    const invented = containerOf({ timestamp: 1_300, pChainHeight: 999n, epoch });
    const accepted = containerOf({ timestamp: 1_299, pChainHeight: 55n, epoch });
    expect(await next([invented, accepted], [accepted])).toMatchObject({ pChainHeight: 40n });
    await expect(next([invented], [])).rejects.toMatchObject({ code: 'NOT_ACCEPTED' });
  });
});
