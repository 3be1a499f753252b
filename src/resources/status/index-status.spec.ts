import { describe, expect, it } from '@jest/globals';
import type { EvmChain } from '../../platform/evm-chains/evm-chain.js';
import type { ReportedIndex } from '../../indexes/overview/index-overview.js';
import type { IndexReport } from '../../indexes/overview/index-lag.js';
import type { MeasuredChain, MeasuredFacet } from '../../indexes/overview/measured-chains.js';
import { describeIndexes } from './index-status.js';

const reported = (report: Partial<IndexReport>, index: Partial<ReportedIndex> = {}): ReportedIndex => ({
  network: 'fuji',
  chain: 'p-chain',
  report: { state: 'running', height: '99', tip: '99', blocksPerSecond: 0, updatedAt: new Date(), ...report },
  silentSeconds: 3.4,
  activity: 'running',
  position: { kind: 'unknown' },
  ...index,
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
  outdated: 0n,
  unavailable: 1n,
};

const describeOne = (index: ReportedIndex, chains: readonly MeasuredChain[] = []) =>
  describeIndexes([index], chains)[0];

describe(describeIndexes.name, () => {
  it('calls an index complete at the tip', () => {
    expect(describeOne(reported({}))).toMatchObject({ percentage: 100, blocksLeft: '0', silentSeconds: 3 });
  });

  it('calls an index incomplete a block below the tip, however long the chain is', () => {
    const behind = reported({ height: '49999999', tip: '50000000' });
    expect(describeOne(behind)).toMatchObject({ percentage: 99.9, blocksLeft: '1' });
  });

  it('calls an index begun before its first block', () => {
    expect(describeOne(reported({ height: '-1', tip: '9' }))).toMatchObject({
      percentage: 0,
      blocksLeft: '10',
    });
  });

  it('calls an index complete when the node is behind it', () => {
    expect(describeOne(reported({ height: '12', tip: '9' }))).toMatchObject({
      percentage: 100,
      blocksLeft: '0',
    });
  });

  it('gives no numbers where nothing is known', () => {
    const described = describeOne(reported({ height: undefined, tip: undefined }));
    expect(described).not.toHaveProperty('percentage');
    expect(described).not.toHaveProperty('lagSeconds');
  });

  it('counts what a facet has, which is filled in from above, and what no node has as missing', () => {
    const facet = reported({ height: '9999', tip: '9999' }, { chain: 'evm-43113:traces' });
    expect(describeOne(facet, [{ chain, checkpoint: undefined, facets: [traces] }])).toMatchObject({
      chain: 'evm-43113',
      chainName: 'C-Chain',
      facet: 'traces',
      percentage: 99.9,
      blocksLeft: '1',
    });
  });

  it('rounds the lag', () => {
    const block = { height: 99n, time: 1_800_000_000 };
    const position = {
      kind: 'catching up',
      lagSeconds: 499.6,
      block,
      tip: '5000',
      tipSeenAt: new Date(),
    } as const;
    expect(describeOne(reported({}, { position }))).toMatchObject({ lagSeconds: 500 });
  });

  it('cuts messages that nodes have made long', () => {
    expect(describeOne(reported({ message: 'x'.repeat(100_000) }))?.message).toHaveLength(500);
  });

  it('lists indexes in the order of networks and chains', () => {
    const indexes = ['evm-43113:base', 'p-chain', 'evm-43113', 'evm-999'].map((name) =>
      reported({}, { chain: name }),
    );
    indexes.push(reported({}, { network: 'mainnet', chain: 'a' }));
    const described = describeIndexes(indexes, []);
    expect(
      described.map(({ network, chain: name, facet = '' }) => `${network} ${name} ${facet}`.trim()),
    ).toEqual(['fuji p-chain', 'fuji evm-999', 'fuji evm-43113', 'fuji evm-43113 base', 'mainnet a']);
  });
});
