import { describe, expect, it } from '@jest/globals';
import { PRIMARY_NETWORK } from '../../avalanche/platformvm/ids.js';
import type { StakingTransaction } from '../../avalanche/platformvm/state/records.js';
import { cutAt, sumsOf } from './staking-tx.js';

const ID = 'ab'.repeat(32);
const owners = { locktime: 0n, threshold: 1, addresses: ['cd'.repeat(20)] };
const output = { assetId: ID, amount: 1n, stakeableLocktime: null, owners };
const input = {
  txId: ID,
  outputIndex: 0,
  assetId: ID,
  amount: 3n,
  stakeableLocktime: null,
  signatureIndices: [],
};

/** One with an output and a stake besides its inputs. */
const spending = (inputs: number): StakingTransaction => ({
  txId: ID,
  blockId: ID,
  blockHeight: 1n,
  blockTime: 1,
  unsigned: {
    type: 'AddDelegator',
    networkId: 1,
    blockchainId: PRIMARY_NETWORK,
    outputs: [output],
    inputs: Array.from({ length: inputs }, () => input),
    memo: new Uint8Array(),
    validator: { nodeId: 'ef'.repeat(20), start: 0n, end: 1n, weight: 1n },
    stake: [output],
    rewardsOwner: owners,
  },
});

describe(cutAt.name, () => {
  it('takes what has no more UTXOs than it is given, in order and without gaps', () => {
    const all = [spending(2), spending(3), spending(1), spending(0)];
    expect(cutAt(100, all)).toEqual(all);
    expect(cutAt(9, all)).toEqual(all.slice(0, 2));
    expect(cutAt(8, all)).toEqual(all.slice(0, 1));
    expect(cutAt(11, all)).toEqual(all.slice(0, 2));
  });

  it('takes the first one whatever it has', () => {
    expect(cutAt(1, [spending(7), spending(0)])).toEqual([spending(7)]);
    expect(cutAt(1, [])).toEqual([]);
  });
});

describe(sumsOf.name, () => {
  it('adds and subtracts by asset, and leaves out what is nothing', () => {
    const other = { assetId: 'ef'.repeat(32), amount: 5n };
    expect(sumsOf({ of: [input, other], sign: 1n }, { of: [output, other], sign: -1n })).toEqual([
      { assetId: ID, amount: 2n },
    ]);
    expect(sumsOf({ of: [output], sign: -1n })).toEqual([]);
  });
});
