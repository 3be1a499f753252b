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

/** The first block of Ethereum, and its hash. */
const EMPTY_ROOT = '56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421';
const FIRST_BLOCK = fromHex(
  `f90219f90214a0${'00'.repeat(32)}a01dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d4934794${'00'.repeat(20)}` +
    `a0d7f8974fb5ac78d9ac099b9ad5018bedc2ce0a72dad1827a1709da30580f0544a0${EMPTY_ROOT}a0${EMPTY_ROOT}b90100${'00'.repeat(256)}` +
    `850400000000808213888080a011bbe8db4e347b4e8c937c1c8370e4b5ed33adb3db69cbdb7a38e1e50b1b82faa0${'00'.repeat(32)}` +
    '880000000000000042c0c0',
);
const FIRST_HASH = 'd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3';

/** Nodes with such a last block each, in turn; so are those of them that have one to give. */
function nodesWith(containers: readonly Uint8Array[], idOf: (container: Uint8Array) => string): ChainNetwork {
  const asked = { forLast: 0, forOne: 0 };
  return {
    connectedPeers: () => containers.map((_, index) => ({ nodeId: `node ${index}` })),
    ask: async <Question extends ChainQuestion>(question: Question) => {
      const wanted = 'containerId' in question ? toHex(question.containerId) : '';
      const found = containers.filter((container) => idOf(container) === wanted);
      const answer =
        question.kind === 'pullQuery'
          ? { acceptedId: fromHex(idOf(containers[asked.forLast++ % containers.length]!)) }
          : found[asked.forOne++ % found.length];
      return answer as ChainAnswers[Question['kind']];
    },
  };
}

const next = (containers: readonly Uint8Array[], accepted = containers, idOf = containerId) => {
  const ids = new Set(accepted.map(idOf));
  const options = { epochSeconds: EPOCH_SECONDS, logger: silentLogger };
  const acceptance = { confirm: async (id: string) => ids.has(id) };
  return new ChainEpoch(nodesWith(containers, idOf), new Uint8Array(32), acceptance, options).next(
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

  it('is that of its parent for an option, such as decides about a proposal on the P-chain', async () => {
    const proposal = containerOf({ timestamp: 1_300, pChainHeight: 55n, epoch });
    const inner = new Uint8Array([4]);
    const option = wrapBlock({ type: 'option', parentId: containerId(proposal), inner });
    const older = containerOf({ timestamp: 1_299, pChainHeight: 54n, epoch });
    expect(await next([older, option, proposal], [older, option])).toEqual({
      number: 8n,
      startTimestampSeconds: 1_300,
      pChainHeight: 55n,
    });
  });

  it('is 0 of a chain that has its first block alone', async () => {
    const first = next([FIRST_BLOCK], [FIRST_BLOCK], () => FIRST_HASH);
    expect(await first).toMatchObject({ number: 0n, pChainHeight: 0n });
  });

  it('is not read off a container whose signature was cut off, which has the same id', async () => {
    const last = containerOf({ timestamp: 1_299, pChainHeight: 55n, epoch });
    const cut = last.subarray(0, last.length - 4);
    expect(containerId(cut)).toBe(containerId(last));
    expect(await next([cut, last])).toMatchObject({ pChainHeight: 40n });
  });

  it('is that of the newest block, whichever node is asked first', async () => {
    const stuck = containerOf({ timestamp: 1_001, pChainHeight: 30n, epoch: null });
    const newest = containerOf({ timestamp: 9_000, pChainHeight: 80n, epoch });
    const following = { number: 8n, pChainHeight: 80n };
    expect(await next([stuck, newest])).toMatchObject(following);
    expect(await next([newest, stuck])).toMatchObject(following);
  });

  it('is none that was not accepted', async () => {
    const invented = containerOf({ timestamp: 1_300, pChainHeight: 999n, epoch });
    const accepted = containerOf({ timestamp: 1_299, pChainHeight: 55n, epoch });
    expect(await next([invented, accepted], [accepted])).toMatchObject({ pChainHeight: 40n });
    await expect(next([invented], [])).rejects.toMatchObject({ code: 'NOT_ACCEPTED' });
  });
});
