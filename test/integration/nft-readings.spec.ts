import { beforeAll, describe, expect, it } from '@jest/globals';
import { addressFor } from '../../sandbox/generated/evm-block.js';
import type { NftTokenRepository } from '../../src/resources/nft-tokens/nft-token.repository.js';
import { TEST_CHAIN } from '../support/evm/evm-index.js';
import { openNftStore } from '../support/evm/nft-store.js';
import { createMigratedDatabase } from '../support/harness/database.js';

const NOW = 1_700_000_000;
const [SELLER, BUYER] = [addressFor(1), addressFor(2)];

describe('readings of an NFT', () => {
  let store: NftTokenRepository;

  beforeAll(async () => {
    store = openNftStore(await createMigratedDatabase());
  });

  it.each([
    { title: 'a later block', first: [SELLER, 5n, 0], second: [BUYER, 6n, 0], kept: BUYER },
    { title: 'the same block', first: [SELLER, 5n, 0], second: [BUYER, 5n, 0], kept: BUYER },
    { title: 'an earlier block', first: [BUYER, 6n, 0], second: [SELLER, 5n, 20], kept: BUYER },
    {
      title: 'an earlier block, long after',
      first: [BUYER, 6n, 0],
      second: [SELLER, 5n, 3_600],
      kept: SELLER,
    },
  ] as const)('are kept by their block: of $title', async ({ title, first, second, kept }) => {
    const key = { ...TEST_CHAIN, address: addressFor(3), tokenId: BigInt(title.length) };
    const save = ([owner, height, after]: readonly [typeof SELLER, bigint, number]) => {
      const token = { ercType: 'ERC-721', name: null, symbol: null, uri: { status: 'missing' } } as const;
      return store.saveReading(key, { ...token, owner, height }, NOW + after);
    };
    await save(first);
    expect(await save(second)).toMatchObject({ owner: kept });
    expect(await store.find(key)).toMatchObject({ owner: kept });
  });
});
