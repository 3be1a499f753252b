import { describe, expect, it } from '@jest/globals';
import type { ChainAnswers, ChainQuestion } from '../p2p/messages/chain-question.js';
import type { ChainNetwork } from '../p2p/network/chain-network.js';
import { PeerRequestError } from '../p2p/peer-request.error.js';
import { Acceptance } from './acceptance.js';

const CONTAINER = '01'.repeat(32);

/** So many validators of the same stake, of whom the first are connected and have accepted everything. */
function validators(count: number, connected: number) {
  const electors = Array.from({ length: count }, (_, index) => ({ nodeId: String(index), weight: 5n }));
  const network: ChainNetwork = {
    connectedPeers: () => electors.slice(0, connected),
    ask: async <Question extends ChainQuestion>(question: Question, { nodeId }: { nodeId: string }) => {
      if (Number(nodeId) >= connected) throw new PeerRequestError('NOT_CONNECTED', 'away');
      const answer = question.kind === 'getAccepted' ? question.containerIds : [];
      return answer as ChainAnswers[Question['kind']];
    },
  };
  const stake = async () => ({ time: Date.now() / 1_000, electors });
  return new Acceptance(network, new Uint8Array(32), [], stake);
}

describe(Acceptance.name, () => {
  it.each([
    [10, 7],
    [100, 70],
  ])('confirms by %i validators whenever %i of them have accepted', async (count, connected) => {
    const acceptance = validators(count, connected);
    for (let times = 0; times < 30; times += 1) {
      expect(await acceptance.confirm(CONTAINER, AbortSignal.timeout(5_000))).toBe(true);
    }
  });

  it('confirms nothing by less than two thirds', async () => {
    const confirmed = validators(10, 6).confirm(CONTAINER, AbortSignal.timeout(5_000));
    await expect(confirmed).rejects.toMatchObject({ code: 'TOO_FEW_VOTES' });
  });
});
