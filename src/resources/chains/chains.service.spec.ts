import { describe, expect, it } from '@jest/globals';
import type { IndexedBlocksRepository } from '../../exports/turns/indexed-blocks.repository.js';
import type { IndexOverviews } from '../../indexes/overview/index-overviews.js';
import type { MeasuredChain, MeasuredChains } from '../../indexes/overview/measured-chains.js';
import type { EvmChain } from '../../platform/evm-chains/evm-chain.js';
import type { EvmChains } from '../../platform/evm-chains/evm-chains.js';
import { ChainsService } from './chains.service.js';

const chainOf = (network: EvmChain['network'], chainId: bigint): EvmChain =>
  ({
    network,
    chainId,
    blockchainId: 'id',
    name: 'chain',
    nativeSymbol: 'AVAX',
    nativeDecimals: 18,
  }) as EvmChain;

const CHAINS = [chainOf('fuji', 1n), chainOf('fuji', 2n), chainOf('mainnet', 1n)];

describe(ChainsService.name, () => {
  const start = () => {
    const state = { measured: 0, overviews: 0, failure: undefined as Error | undefined };
    const measure = (chain: EvmChain): Promise<MeasuredChain> => {
      state.measured += 1;
      return state.failure === undefined
        ? Promise.resolve({ chain, checkpoint: undefined, facets: [] })
        : Promise.reject(state.failure);
    };
    const list = () => {
      state.overviews += 1;
      return Promise.resolve([]);
    };
    const service = new ChainsService(
      { all: () => CHAINS } as unknown as EvmChains,
      { measure } as unknown as MeasuredChains,
      { timesOf: () => Promise.resolve(new Map()) } as unknown as IndexedBlocksRepository,
      { list } as unknown as IndexOverviews,
    );
    return { state, service };
  };

  it('reads each chain once for all who ask within a second, whatever they ask for', async () => {
    const { state, service } = start();
    const [all, fuji, mainnet] = await Promise.all([
      service.list({}),
      service.list({ network: 'fuji' }),
      service.list({ network: 'mainnet' }),
    ]);
    expect([all, fuji, mainnet].map(({ chains }) => chains.length)).toEqual([3, 2, 1]);
    expect(state).toMatchObject({ measured: 3, overviews: 1 });
  });

  it('reads again after a failure', async () => {
    const { state, service } = start();
    state.failure = new Error('no database');
    await expect(service.list({})).rejects.toBe(state.failure);
    state.failure = undefined;
    expect((await service.list({})).chains).toHaveLength(3);
  });
});
