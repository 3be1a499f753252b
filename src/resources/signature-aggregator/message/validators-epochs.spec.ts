import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { networkAt } from '../../../../test/support/network.js';
import { fromHex } from '../../../avalanche/ids/hex.js';
import { idToString, PRIMARY_NETWORK_ID } from '../../../avalanche/ids/id.js';
import type { ChainAnswers, ChainQuestion } from '../../../avalanche/p2p/messages/chain-question.js';
import type { PeerNetwork } from '../../../avalanche/p2p/network/peer-network.js';
import { PeerRequestError } from '../../../avalanche/p2p/peer-request.error.js';
import { containerId, wrapBlock } from '../../../avalanche/platformvm/codec/proposervm.js';
import type { ValidatorSetAtHeight } from '../../../platform/networks/network.js';
import type { PeerConnections } from '../peers/peer-connections.js';
import { ValidatorsEpochs } from './validators-epochs.js';

const BLOCKCHAIN_ID = idToString(new Uint8Array(32).fill(1));
const VALIDATORS = ['a', 'b', 'c'];

const last = wrapBlock({
  type: 'block',
  parentId: '00'.repeat(32),
  timestamp: 1_010n,
  pChainHeight: 55n,
  certificate: new Uint8Array(),
  inner: new Uint8Array([1]),
  epoch: { pChainHeight: 40n, number: 7n, startTime: 1_000n },
  signature: new Uint8Array(),
});

/** Validators of a chain, of whom these are connected, and these have accepted its last block. */
function peersOf(connected: ReadonlySet<string>, accepting: ReadonlySet<string>): PeerNetwork {
  const ask = async <Question extends ChainQuestion>(question: Question, { nodeId }: { nodeId: string }) => {
    if (!connected.has(nodeId)) throw new PeerRequestError('NOT_CONNECTED', 'not yet');
    const answers: Record<ChainQuestion['kind'], unknown> = {
      pullQuery: { acceptedId: fromHex(containerId(last)) },
      getAccepted: accepting.has(nodeId) ? [fromHex(containerId(last))] : [],
      get: last,
      getAncestors: [],
    };
    return answers[question.kind] as ChainAnswers[Question['kind']];
  };
  const connectedPeers = () => [...connected].map((nodeId) => ({ nodeId }));
  return { connectedPeers, ask } as unknown as PeerNetwork;
}

describe(ValidatorsEpochs.name, () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  const all = new Set(VALIDATORS);
  const growing = (): ReadonlySet<string> => {
    const some = new Set(['a']);
    setTimeout(() => some.add('b').add('c'), 300);
    return some;
  };

  it.each([
    ['are being connected', () => peersOf(growing(), all)],
    ['accept what one of them has accepted', () => peersOf(all, growing())],
  ])('waits a moment for validators that %s', async (_, makePeers) => {
    expect(await nextBy(makePeers())()).toMatchObject({ number: 7n, pChainHeight: 40n });
  });

  it('is asked for again soon enough that one failure ends no epoch that is known for half a minute', async () => {
    const connected = new Set<string>();
    const next = nextBy(peersOf(connected, all));
    await expect(next()).rejects.toMatchObject({ code: 'NOT_SERVED' });
    for (const nodeId of VALIDATORS) connected.add(nodeId);
    await expect(next()).rejects.toMatchObject({ code: 'NOT_SERVED' });
    const now = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => now() + 15_000);
    expect(await next()).toMatchObject({ number: 7n });
  });

  const nextBy = (peers: PeerNetwork) => {
    const connections = { collects: true, of: async () => Promise.resolve(peers) };
    const network = networkAt(['http://127.0.0.1:1'], { timeoutMs: 1 });
    const set = { validators: VALIDATORS.map((nodeId) => ({ nodeIds: [nodeId], weight: 1n })) };
    const at = { subnetId: PRIMARY_NETWORK_ID, pChainHeight: 60n, set } as unknown as ValidatorSetAtHeight;
    Object.assign(network, {
      getSubnetOf: async () => PRIMARY_NETWORK_ID,
      getNetworkId: async () => 12_345,
      getValidatorSet: async () => at,
    });
    const epochs = new ValidatorsEpochs(connections as unknown as PeerConnections);
    return () => epochs.next(network, BLOCKCHAIN_ID);
  };
});
