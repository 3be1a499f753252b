import { describe, expect, it } from '@jest/globals';
import type { EvmHeader } from '../../../avalanche/evm/blocks/block.js';
import type { EvmClient } from '../../../avalanche/evm/rpc/evm-client.js';
import type { EvmChain } from '../../../platform/evm-chains/evm-chain.js';
import { addressFor, hashFor } from '../../../../sandbox/generated/evm-block.js';
import type { HeightRange } from '../../engine/coverage/height-range.js';
import type { BlockRef, Checkpoint } from '../facets/checkpoint.js';
import { AtomicSource } from './atomic-source.js';
import { EvmNodes } from './evm-node.js';

const CHAIN: EvmChain = {
  network: 'fuji',
  chainId: 43113n,
  blockchainId: '',
  name: 'C-chain',
  rpcUrls: [],
  startHeight: 'tip',
  nativeSymbol: 'AVAX',
  nativeDecimals: 18,
  traces: 'off',
  index: 'full',
  watch: [],
  messengers: [],
};
const TIP = 9_999n;
const OTHER = 1_000_000n;

/** The hash of a block, of another history up to a height. */
const hashAt = (height: bigint, otherUpTo: bigint) =>
  hashFor(height + 1n + (height <= otherUpTo ? OTHER : 0n));

const CHECKPOINT: Checkpoint = {
  height: TIP,
  hash: hashAt(TIP, -1n),
  blockTime: 1,
  genesisHash: hashAt(0n, -1n),
  firstHeight: TIP,
};

/** Its older blocks are of another history up to a height, each the child of the one beneath. */
function nodeWith(otherUpTo = -1n) {
  const headerAt = (height: bigint): EvmHeader => ({
    height,
    hash: hashAt(height, otherUpTo),
    parentHash: hashAt(height - 1n, otherUpTo),
    timestampSeconds: 1,
    feeRecipient: addressFor(1),
    blockExtraData: '0x',
  });
  /** Blocks up to the fork follow one another, and so do those above, which are proved: only the join is wrong. */
  const joined = (height: bigint): EvmHeader =>
    height === otherUpTo + 1n
      ? { ...headerAt(height), parentHash: hashAt(otherUpTo, -1n) }
      : headerAt(height);
  const getBlockHeaders: EvmClient['getBlockHeaders'] = async ({ heights }) => heights.map(joined);
  return { client: { getBlockHeaders } };
}

describe(AtomicSource.name, () => {
  const LIMITS = { until: Infinity, signal: new AbortController().signal };

  /** The heights of the stretches that it reads, and why it ends. */
  const readAll = async (
    source: AtomicSource,
    node: ReturnType<typeof nodeWith>,
    range: HeightRange,
    onRecord: readonly BlockRef[] = [],
  ) => {
    const read: string[] = [];
    const find = async (height: bigint) => onRecord.find((block) => block.height === height);
    try {
      for await (const { facets } of source.read(node, range, CHECKPOINT, LIMITS, find)) {
        read.push(...facets.map(({ from, to }) => `${from}-${to}`));
      }
    } catch (error) {
      return [...read, error instanceof Error ? error.message : String(error)];
    }
    return read;
  };
  const make = () => new AtomicSource(CHAIN, new EvmNodes([]));
  const ALL = { from: 0n, to: TIP };
  const STRETCHES = ['8000-9999', '6000-7999', '4000-5999', '2000-3999', '0-1999'];

  it('reads down to block 0 in stretches that join', async () => {
    expect(make().wanted(CHECKPOINT)).toEqual([ALL]);
    expect(await readAll(make(), nodeWith(), ALL)).toEqual(STRETCHES);
  });

  it.each([
    ['whose end is no parent of the stretch above', 5_999n, ['8000-9999', '6000-7999']],
    ['with a break within', 4_500n, ['8000-9999', '6000-7999']],
    ['with another genesis', 0n, STRETCHES.slice(0, -1)],
    ['of another chain', TIP, []],
  ])('ends above a stretch %s', async (_, otherUpTo, read) => {
    expect(await readAll(make(), nodeWith(otherUpTo), ALL)).toEqual([
      ...read,
      expect.stringMatching(/^block \d+ /),
    ]);
  });

  it('goes on where it ended, from a block on record or what it has read itself', async () => {
    const beneath = { from: 0n, to: 5_999n };
    const other = nodeWith(5_999n);
    expect(await readAll(make(), other, beneath)).toHaveLength(3); // nobody knows better, before the genesis
    const source = make();
    await readAll(source, nodeWith(), { from: 6_000n, to: TIP });
    expect(await readAll(source, other, beneath)).toEqual([expect.stringContaining('block 5999 is')]);
    expect(await readAll(source, nodeWith(), beneath)).toEqual(STRETCHES.slice(2));
    const onRecord = [{ height: 6_000n, hash: hashAt(6_000n, -1n) }];
    expect(await readAll(make(), nodeWith(6_100n), beneath, onRecord)).toEqual([
      expect.stringContaining('block 6000 is'),
    ]);
  });

  it('ends at a block on record beneath that it does not follow', async () => {
    const range = { from: 4_000n, to: TIP };
    const onRecord = [{ height: 3_999n, hash: hashFor(7) }];
    expect(await readAll(make(), nodeWith(), range, onRecord)).toEqual([
      ...STRETCHES.slice(0, 2),
      expect.stringContaining('block 4000 '),
    ]);
  });
});
