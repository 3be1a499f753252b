import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { idToString, PRIMARY_NETWORK_ID } from '../../../avalanche/ids/id.js';
import type { JsonRpcCall } from '../../../avalanche/rpc/json-rpc-client.js';
import { RpcError } from '../../../avalanche/rpc/rpc.error.js';
import { makeCanonicalValidatorSet } from '../../../avalanche/warp/canonical-validator-set.js';
import type { ProposerVmClient } from '../../../avalanche/rpc/proposer-vm-client.js';
import type { EvmChain } from '../../../platform/evm-chains/evm-chain.js';
import type { EvmChainNode } from '../../../platform/evm-chains/evm-chains.js';
import { NetworkError } from '../../../platform/networks/network.error.js';
import type { Network } from '../../../platform/networks/network.js';
import { ChainSyncError } from '../../../avalanche/chain-sync/chain-sync.error.js';
import { EpochHeights } from './epoch-heights.js';
import type { ValidatorsEpochs } from './validators-epochs.js';
import { networkAt } from '../../../../test/support/network.js';

const BLOCKCHAIN_ID = idToString(new Uint8Array(32).fill(1));
const SUBNET_ID = idToString(new Uint8Array(32).fill(2));
const EPOCH = { number: '56', startTime: '1755802182', pChainHeight: '4711' };

const failure = (code: 'NODE_UNREACHABLE' | 'NODE_BAD_RESPONSE', httpStatus?: number) =>
  new RpcError(code, 'failed', { host: 'node', method: 'proposervm.getCurrentEpoch', httpStatus });

const unanswered = new ChainSyncError('NOT_SERVED', 'nobody answers');

describe(EpochHeights.name, () => {
  let network: Network;
  let epochs: EpochHeights;
  let validators: { next: jest.Mock<ValidatorsEpochs['next']> };

  beforeEach(() => {
    network = networkAt(['http://127.0.0.1:1'], { timeoutMs: 1 });
    validators = { next: jest.fn(async () => Promise.reject(unanswered)) };
    epochs = new EpochHeights(validators, { ofBlockchain: () => undefined, nodesOf: () => [] });
  });

  /** The node's answer, parsed by the client's schema. */
  const answering = (result: unknown) =>
    jest
      .spyOn(network.rpc, 'call')
      .mockImplementation(async <T>({ schema }: JsonRpcCall<T>): Promise<T> => schema.parse(result));

  const height = async () => (await epochs.get(network, BLOCKCHAIN_ID)).pChainHeight;

  const failing = (error: Error) => jest.spyOn(network.rpc, 'call').mockRejectedValue(error);

  const withSet = (outcome: 'there' | NetworkError) => {
    const set = jest.spyOn(network, 'getValidatorSet');
    return outcome === 'there'
      ? set.mockResolvedValue({
          subnetId: SUBNET_ID,
          pChainHeight: 4711n,
          set: makeCanonicalValidatorSet([]),
        })
      : set.mockRejectedValue(outcome);
  };

  it('asks the node once for many requests, and apart for each blockchain', async () => {
    const call = answering(EPOCH);
    const heights = await Promise.all(Array.from({ length: 5 }, () => height()));
    expect(heights).toEqual([4711n, 4711n, 4711n, 4711n, 4711n]);
    expect(call).toHaveBeenCalledTimes(1);
    await epochs.get(network, SUBNET_ID);
    expect(call.mock.calls.map(([{ path }]) => path)).toEqual([
      `/ext/bc/${BLOCKCHAIN_ID}/proposervm`,
      `/ext/bc/${SUBNET_ID}/proposervm`,
    ]);
  });

  it('takes the proposed height while epochs are not active', async () => {
    answering({ number: '0', startTime: '0', pChainHeight: '0' });
    expect(await height()).toBe(0n);
  });

  it('tells an unknown chain from one that the node does not run', async () => {
    failing(failure('NODE_BAD_RESPONSE', 404));
    const subnetOf = jest.spyOn(network, 'getSubnetOf').mockResolvedValue(PRIMARY_NETWORK_ID);
    await expect(epochs.get(network, BLOCKCHAIN_ID)).rejects.toMatchObject({ statusCode: 502 });
    subnetOf.mockRejectedValue(new NetworkError('UNKNOWN_BLOCKCHAIN', 'unknown'));
    await expect(epochs.get(network, BLOCKCHAIN_ID)).rejects.toMatchObject({ statusCode: 400 });
  });

  it('asks the validators of a chain that the node does not run', async () => {
    failing(failure('NODE_BAD_RESPONSE', 404));
    const epoch = { number: 3n, startTimestampSeconds: 1_755_802_182, pChainHeight: 815n };
    validators.next.mockResolvedValue(epoch);
    expect(await epochs.get(network, BLOCKCHAIN_ID)).toEqual(epoch);
  });

  it('asks the validators while the node is away', async () => {
    failing(failure('NODE_UNREACHABLE'));
    const epoch = { number: 3n, startTimestampSeconds: 1_755_802_182, pChainHeight: 815n };
    validators.next.mockResolvedValue(epoch);
    expect(await epochs.get(network, BLOCKCHAIN_ID)).toEqual(epoch);
  });

  it('asks the nodes of a configured chain before its validators', async () => {
    failing(failure('NODE_BAD_RESPONSE', 404));
    const epoch = { number: 3n, startTimestampSeconds: 1_755_802_182, pChainHeight: 816n };
    const chain = { network: network.name, blockchainId: BLOCKCHAIN_ID } as EvmChain;
    const proposerVm = { getCurrentEpoch: async () => epoch } as unknown as ProposerVmClient;
    const nodes = [{ proposerVm: undefined }, { proposerVm }] as unknown as readonly EvmChainNode[];
    const withNodes = new EpochHeights(validators, {
      ofBlockchain: (name, id) => (name === network.name && id === BLOCKCHAIN_ID ? chain : undefined),
      nodesOf: () => nodes,
    });
    expect(await withNodes.get(network, BLOCKCHAIN_ID)).toEqual(epoch);
    expect(validators.next).not.toHaveBeenCalled();
    await expect(withNodes.get(network, SUBNET_ID)).rejects.toThrow();
    expect(validators.next).toHaveBeenCalledTimes(1);
  });

  it('fails as the node does if the validators do not answer either, and keeps no failure', async () => {
    failing(failure('NODE_UNREACHABLE'));
    await expect(epochs.get(network, BLOCKCHAIN_ID)).rejects.toMatchObject({ code: 'NODE_UNREACHABLE' });
    answering(EPOCH);
    expect(await height()).toBe(4711n);
  });

  const given = { blockchainId: BLOCKCHAIN_ID, subnetId: SUBNET_ID };

  it('takes the epoch of a node that tells it and has its validators', async () => {
    answering(EPOCH);
    const set = withSet('there');
    expect(await epochs.find(network, given)).toBe(4711);
    expect(set).toHaveBeenCalledWith({ subnetId: SUBNET_ID, pChainHeight: 4711n });
  });

  it.each(['EMPTY_VALIDATOR_SET', 'HEIGHT_NOT_AVAILABLE'] as const)(
    'takes the proposed height after %s',
    async (code) => {
      answering(EPOCH);
      withSet(new NetworkError(code, 'no'));
      expect(await epochs.find(network, given)).toBe(0);
    },
  );

  it('takes no older height while the P-chain here is behind the epoch, and does not blame the caller', async () => {
    answering(EPOCH);
    withSet(new NetworkError('HEIGHT_IN_FUTURE', 'no'));
    const behind = { code: 'PROPOSED_HEIGHT_NOT_AVAILABLE', message: expect.stringContaining('4711') };
    await expect(epochs.find(network, given)).rejects.toMatchObject(behind);
    const at = { subnetId: SUBNET_ID, pChainHeight: 4711n };
    await expect(epochs.assertReached(network, at)).rejects.toMatchObject(behind);
  });

  it('leaves a node that is away to the collection', async () => {
    jest.spyOn(network, 'getValidatorSet').mockRejectedValue(failure('NODE_UNREACHABLE'));
    const at = { subnetId: SUBNET_ID, pChainHeight: 4711n };
    await expect(epochs.assertReached(network, at)).resolves.toBeUndefined();
  });

  it('takes the proposed height where the node does not tell the epoch', async () => {
    failing(failure('NODE_BAD_RESPONSE', 404));
    expect(await epochs.find(network, given)).toBe(0);
  });
});
