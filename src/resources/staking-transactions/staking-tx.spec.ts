import { describe, expect, it } from '@jest/globals';
import { PRIMARY_NETWORK } from '../../avalanche/platformvm/ids.js';
import type { StakingTransaction } from '../../avalanche/platformvm/state/records.js';
import { sumsOf, utxosIn } from './staking-tx.js';

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

describe(utxosIn.name, () => {
  it('counts what is spent, what is made and the stake', () => {
    expect(utxosIn(spending(0))).toBe(2);
    expect(utxosIn(spending(7))).toBe(9);
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
