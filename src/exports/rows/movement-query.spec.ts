import { describe, expect, it } from '@jest/globals';
import { addressFor } from '../../../sandbox/generated/evm-block.js';
import { movementQuery } from './movement-query.js';

const CHAIN = { network: 'fuji', chainId: 1n, name: 'X', nativeSymbol: 'AVAX', nativeDecimals: 18 } as const;
const HEIGHTS = { fromHeight: 1n, toHeight: 2n };

describe(movementQuery.name, () => {
  it.each([
    ['an address', { addresses: [`0x${"'; DROP TABLE"}` as const] }],
    ['an address, also one of another length,', { addresses: [`0x${'0'.repeat(42)}` as const] }],
    ['an asset', { avaxAssetId: "'--" }],
    ['a name', { chain: { ...CHAIN, name: 'a\0' } }],
    ['a symbol', { chain: { ...CHAIN, nativeSymbol: "'--" } }],
  ])('refuses %s that does not look like one', (_, part) => {
    expect(() =>
      movementQuery({
        chain: CHAIN,
        avaxAssetId: undefined,
        addresses: [addressFor(1)],
        ...HEIGHTS,
        ...part,
      }),
    ).toThrow(RangeError);
  });
});
