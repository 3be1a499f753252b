import { beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { addressFor } from '../../sandbox/generated/evm-block.js';
import { evmChainKey } from '../../src/platform/database/chains.js';
import { Database } from '../../src/platform/database/database.js';
import { NftMoves } from '../../src/resources/nft-tokens/index/nft-moves.js';
import { TEST_CHAIN } from '../support/evm/evm-index.js';
import { openNftStore } from '../support/evm/nft-store.js';
import { createMigratedDatabase } from '../support/harness/database.js';
import { NftTokenEntity } from '../../src/resources/nft-tokens/nft-token.entity.js';

const COLLECTION = addressFor(1);
const KEY = evmChainKey(TEST_CHAIN);
const TOKENS = [1n, 2n];

interface Transfer {
  readonly height: number;
  readonly kind?: string;
  readonly tokenId?: bigint;
  readonly contract?: string;
}

describe(NftMoves.name, () => {
  let dataSource: DataSource;
  let moves: NftMoves;

  beforeEach(async () => {
    dataSource = await createMigratedDatabase();
    const database = new Database(dataSource);
    moves = new NftMoves(dataSource.getRepository(NftTokenEntity), database);
    await dataSource.query(`CREATE TABLE moved PARTITION OF evm_transfers FOR VALUES IN (${KEY})`);
    for (const tokenId of TOKENS) {
      const key = { ...TEST_CHAIN, address: COLLECTION, tokenId };
      const token = { ercType: 'ERC-721', name: null, symbol: null, owner: COLLECTION, height: 5n } as const;
      await openNftStore(dataSource).saveReading(key, { ...token, uri: { status: 'missing' } }, 0);
    }
  });

  /** The index has written these, up to this height. */
  const write = async (tip: number, transfers: readonly Transfer[]): Promise<void> => {
    for (const [position, transfer] of transfers.entries()) {
      const { height, kind = 'ERC721', tokenId = 1n, contract = COLLECTION } = transfer;
      await dataSource.query(
        `INSERT INTO evm_transfers (chain_key, height, position, tx_index, block_time, tx_hash, kind, from_address,
           to_address, contract, token_id, amount)
         VALUES ($1, $2, $3, 0, 0, '', $4, '', '', decode($5, 'hex'), $6, 1)`,
        [KEY, height, position, kind, contract.slice(2), tokenId],
      );
    }
    await dataSource.query(
      `INSERT INTO index_checkpoints (network, chain, height, block_id, block_time, state)
       VALUES ($1, $2, $3, '', 0, '{}') ON CONFLICT (network, chain) DO UPDATE SET height = EXCLUDED.height`,
      [TEST_CHAIN.network, `evm-${TEST_CHAIN.chainId}`, tip],
    );
  };

  const heights = async (): Promise<number[]> => {
    const rows = await dataSource.query<{ moved_height: string }[]>(
      'SELECT moved_height FROM nft_tokens ORDER BY token_id',
    );
    return rows.map(({ moved_height }) => Number(moved_height));
  };

  it('marks a known token with the last block in which it moved', async () => {
    await write(20, [
      { height: 10 },
      { height: 12 },
      { height: 12, kind: 'ERC1155' },
      { height: 13, tokenId: 3n },
      { height: 14, contract: addressFor(2) },
      { height: 15, kind: 'ERC20' },
    ]);
    expect(await moves.look(TEST_CHAIN, -1n)).toBe(20n);
    expect(await heights()).toEqual([12, -1]);
  });

  it('goes on from where it stopped', async () => {
    await write(20, [{ height: 10 }, { height: 19, tokenId: 2n }]);
    expect(await moves.look(TEST_CHAIN, 10n)).toBe(20n);
    expect(await heights()).toEqual([-1, 19]);
    await write(30, [{ height: 21 }, { height: 31, tokenId: 2n }]);
    expect(await moves.look(TEST_CHAIN, 20n)).toBe(30n);
    expect(await heights()).toEqual([21, 19]);
  });

  it('looks at no more than the newest blocks, and at those of a chain that is indexed anew', async () => {
    await write(10_000, [{ height: 7_000 }, { height: 9_000, tokenId: 2n }]);
    await moves.look(TEST_CHAIN, 5n);
    expect(await heights()).toEqual([-1, 9_000]);
    await moves.look(TEST_CHAIN, 999_999n);
    expect(await heights()).toEqual([-1, 9_000]);
  });

  it('finds nothing on a chain that is not indexed', async () => {
    expect(await moves.look(TEST_CHAIN, -1n)).toBe(-1n);
    expect(await heights()).toEqual([-1, -1]);
  });
});
