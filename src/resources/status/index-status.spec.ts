import { describe, expect, it } from '@jest/globals';
import type { MeasuredFacet } from '../../indexes/evm/facets/measured-facet.js';
import type { EvmChain } from '../../platform/evm-chains/evm-chain.js';
import type { ProgressRecord } from '../../indexes/engine/progress/index-progress.repository.js';
import { describeIndexes, type IndexFacts } from './index-status.js';

const NOW_MS = 1_800_000_000_000;

const record = (given: Partial<ProgressRecord>): ProgressRecord => ({
  network: 'fuji',
  chain: 'p-chain',
  state: 'running',
  height: '99',
  tip: '99',
  blocksPerSecond: 0,
  secondsLeft: null,
  message: null,
  updatedAt: new Date(NOW_MS - 3_000),
  ...given,
});

const chain: EvmChain = {
  network: 'fuji',
  chainId: 43113n,
  blockchainId: 'yH8D7ThNJkxmtkuv2jgBa4P1Rn3Qpr4pPr7QYNfcdoS6k6HWp',
  name: 'C-Chain',
  rpcUrls: [],
  startHeight: 0n,
  nativeSymbol: 'AVAX',
  nativeDecimals: 18,
  traces: 'auto',
  index: 'full',
  watch: [],
  messengers: [],
};

const traces: MeasuredFacet = {
  name: 'traces',
  ranges: [],
  rangeCount: 0,
  complete: 9_999n,
  missing: 0n,
  unavailable: 1n,
};

const describeOne = (progress: ProgressRecord, facts: Partial<IndexFacts> = {}) =>
  describeIndexes({ progress: [progress], blockTimes: [], chains: [], nowMs: NOW_MS, ...facts })[0];

describe(describeIndexes.name, () => {
  it('calls an index complete at the tip', () => {
    expect(describeOne(record({}))).toMatchObject({ percentage: 100, blocksLeft: '0', silentSeconds: 3 });
  });

  it('calls an index incomplete a block below the tip, however long the chain is', () => {
    const behind = record({ height: '49999999', tip: '50000000' });
    expect(describeOne(behind)).toMatchObject({ percentage: 99.9, blocksLeft: '1' });
  });

  it('calls an index begun before its first block', () => {
    expect(describeOne(record({ height: '-1', tip: '9' }))).toMatchObject({
      percentage: 0,
      blocksLeft: '10',
    });
  });

  it('calls an index complete when the node is behind it', () => {
    expect(describeOne(record({ height: '12', tip: '9' }))).toMatchObject({
      percentage: 100,
      blocksLeft: '0',
    });
  });

  it('gives no numbers where nothing is known', () => {
    const described = describeOne(record({ height: null, tip: null }));
    expect(described).not.toHaveProperty('percentage');
    expect(described).not.toHaveProperty('lagSeconds');
  });

  it('counts what a facet has, which is filled in from above, and what no node has as missing', () => {
    const facet = record({ chain: 'evm-43113:traces', height: '9999', tip: '9999' });
    expect(describeOne(facet, { chains: [{ chain, facets: [traces] }] })).toMatchObject({
      chain: 'evm-43113',
      chainName: 'C-Chain',
      facet: 'traces',
      percentage: 99.9,
      blocksLeft: '1',
    });
  });

  it('measures how far an index behind the tip lags by the age of its last block', () => {
    const blockTimes = [{ network: 'fuji', chain: 'p-chain', height: 99n, blockTime: NOW_MS / 1_000 - 500 }];
    expect(describeOne(record({}), { blockTimes })).toMatchObject({ lagSeconds: 3 });
    expect(describeOne(record({ tip: '5000' }), { blockTimes })).toMatchObject({ lagSeconds: 500 });
  });

  it('cuts messages that nodes have made long', () => {
    expect(describeOne(record({ message: 'x'.repeat(100_000) }))?.message).toHaveLength(500);
  });

  it('lists indexes in the order of networks and chains', () => {
    const progress = ['evm-43113:base', 'p-chain', 'evm-43113', 'evm-999'].map((name) =>
      record({ chain: name }),
    );
    progress.push(record({ network: 'mainnet', chain: 'a' }));
    const described = describeIndexes({ progress, blockTimes: [], chains: [], nowMs: NOW_MS });
    expect(
      described.map(({ network, chain: name, facet = '' }) => `${network} ${name} ${facet}`.trim()),
    ).toEqual(['fuji p-chain', 'fuji evm-999', 'fuji evm-43113', 'fuji evm-43113 base', 'mainnet a']);
  });
});
