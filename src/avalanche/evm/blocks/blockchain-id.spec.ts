import { describe, expect, it } from '@jest/globals';
import { toFunctionSelector } from 'viem/utils';
import { askForBlockchainId } from './blockchain-id.js';
import type { ContractAnswer, Unanswered } from '../rpc/contract-call.js';

const ID = 'ab'.repeat(32);

describe(askForBlockchainId.name, () => {
  it('asks the warp precompile', async () => {
    const asked: unknown[] = [];
    const client = {
      tryContracts: ({ calls }: { calls: readonly unknown[] }) => {
        asked.push(...calls);
        return Promise.resolve([{ status: 'returned', data: `0x${ID}` } as const]);
      },
    };
    expect(await askForBlockchainId(client)).toBe(ID);
    const data = toFunctionSelector('function getBlockchainID()');
    expect(asked).toEqual([{ to: '0x0200000000000000000000000000000000000005', data }]);
  });

  it.each<[string, ContractAnswer | Unanswered]>([
    ['there is no precompile', { status: 'returned', data: '0x' }],
    ['something else answers', { status: 'returned', data: `0x${ID}00` }],
    ['the call is reverted', { status: 'failed', reason: 'execution reverted' }],
    ['the node calls no contracts', { status: 'unanswered', reason: 'method not found' }],
  ])('finds no id when %s', async (_, answer) => {
    expect(await askForBlockchainId({ tryContracts: () => Promise.resolve([answer]) })).toBeUndefined();
  });
});
