import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { PRIMARY_NETWORK_ID } from '../../avalanche/ids/id.js';
import { RpcError } from '../../avalanche/rpc/rpc.error.js';
import type { ValidatorSetEntry } from '../../avalanche/warp/canonical-validator-set.js';
import { type IndexedPChainView, KnownPChain } from './known-p-chain.js';
import { NetworkError } from './network.error.js';

const setOf = (weight: bigint): ValidatorSetEntry[] => [{ nodeId: 'NodeID-a', publicKey: null, weight }];

/** A view with these answers. */
function viewOf(name: string, { height = 7n, weight = 1n } = {}) {
  return {
    getHeight: jest.fn(async () => height),
    getProposedHeight: jest.fn(async () => height),
    getValidatorsAt: jest.fn(async (_: string, at: bigint) => {
      if (at > height) throw new NetworkError('HEIGHT_IN_FUTURE', `${at} is above ${height}`);
      return setOf(weight);
    }),
    findSubnet: jest.fn(async () => ({ conversionId: name })),
    listSubnetIds: jest.fn(async () => [name]),
    findSubnetOf: jest.fn(async (): Promise<string | undefined> => name),
    findGenesis: jest.fn(async (): Promise<Uint8Array | undefined> => undefined),
    findL1Validator: jest.fn(async () => undefined),
    listL1Validators: jest.fn(async () => []),
    getValidatorPrice: jest.fn(async () => 1n),
    findTransaction: jest.fn(async () => undefined),
    isOnXChain: jest.fn(async () => undefined),
    whyBehind: jest.fn(async (): Promise<string | undefined> => undefined),
  } satisfies IndexedPChainView;
}

const unreachable = new RpcError('NODE_UNREACHABLE', 'gone', { host: 'node', method: 'm' });

describe(KnownPChain.name, () => {
  let index: ReturnType<typeof viewOf>;
  let node: ReturnType<typeof viewOf>;
  let warnings: string[];

  beforeEach(() => {
    jest.useFakeTimers();
    index = viewOf('index');
    node = viewOf('node');
    warnings = [];
  });

  const known = (at: typeof node | undefined = node): KnownPChain => {
    const pChain = new KnownPChain('fuji', at, (text) => warnings.push(text));
    pChain.useIndex(index);
    return pChain;
  };

  /** The source that answers, once comparisons are over. */
  const whoAnswers = async (pChain: KnownPChain): Promise<string[]> => {
    await pChain.listSubnetIds();
    await jest.advanceTimersByTimeAsync(0);
    return pChain.listSubnetIds();
  };

  it('asks the index alone once the node has the same validators', async () => {
    const pChain = known();
    expect(await pChain.listSubnetIds()).toEqual(['node']);
    expect(await whoAnswers(pChain)).toEqual(['index']);
    await pChain.getValidatorsAt(PRIMARY_NETWORK_ID, 3n);
    expect(node.getValidatorsAt).toHaveBeenCalledTimes(1);
  });

  it('stays with the node that has others, reports it once, and looks again', async () => {
    node = viewOf('node', { weight: 2n });
    const pChain = known();
    expect(await whoAnswers(pChain)).toEqual(['node']);
    await jest.advanceTimersByTimeAsync(600_000);
    expect(await whoAnswers(pChain)).toEqual(['node']);
    expect(warnings).toEqual([expect.stringContaining('at height 7 the index has other validators')]);
    node.getValidatorsAt.mockResolvedValue(setOf(1n));
    await jest.advanceTimersByTimeAsync(600_000);
    expect(await whoAnswers(pChain)).toEqual(['index']);
  });

  it('asks the index without comparing where there is no node', async () => {
    const pChain = new KnownPChain('fuji', undefined, () => undefined);
    pChain.useIndex(index);
    expect(await pChain.listSubnetIds()).toEqual(['index']);
    expect(index.getValidatorsAt).not.toHaveBeenCalled();
  });

  it('asks the node while the index is behind, and reports why nobody can be asked without one', async () => {
    index.whyBehind.mockResolvedValue('it is at height 5 of 900');
    expect(await whoAnswers(known())).toEqual(['node']);
    const alone = new KnownPChain('fuji', undefined, () => undefined);
    alone.useIndex(index);
    await expect(alone.getHeight()).rejects.toMatchObject({
      code: 'P_CHAIN_NOT_KNOWN',
      message: expect.stringContaining('it is at height 5 of 900'),
    });
  });

  it('asks the node for what the index does not have, and does without where that is away', async () => {
    const pChain = known();
    await whoAnswers(pChain);
    index.findSubnetOf.mockResolvedValue(undefined);
    expect(await pChain.findSubnetOf('chain')).toBe('node');
    node.findSubnetOf.mockRejectedValue(unreachable);
    expect(await pChain.findSubnetOf('chain')).toBeUndefined();
  });

  it('asks the node for heights above the index, and while the database is away', async () => {
    node = viewOf('node', { height: 9n });
    const pChain = known();
    await whoAnswers(pChain);
    expect(await pChain.getValidatorsAt(PRIMARY_NETWORK_ID, 9n)).toEqual(setOf(1n));
    await expect(pChain.getValidatorsAt(PRIMARY_NETWORK_ID, 10n)).rejects.toMatchObject({
      code: 'HEIGHT_IN_FUTURE',
    });
    index.whyBehind.mockRejectedValue(new Error('no connection'));
    expect(await pChain.listSubnetIds()).toEqual(['node']);
  });
});
