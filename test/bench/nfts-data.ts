import type { Address } from '../../src/avalanche/evm/rpc/hex-values.js';
import { evmChainKey, type EvmChainRef } from '../../src/platform/database/chains.js';
import type { Queryable } from '../../src/platform/database/database.js';

export const NFT_CHAIN: EvmChainRef = { network: 'fuji', chainId: 43113n };
export const NFT_COLLECTION: Address = `0x${'7a'.repeat(20)}`;

/** Tokens 0 to `count - 1` of one collection, all of them indexed just now. */
export async function generateNfts(database: Queryable, count: number): Promise<void> {
  const metadata = {
    name: 'Collected Work',
    description: 'one of many, and each of them has a few words to say about itself',
    imageUri: 'ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi/1.png',
    attributes: JSON.stringify([
      { trait_type: 'Colour', value: 'blue' },
      { trait_type: 'Size', value: 3 },
    ]),
  };
  const now = Math.floor(Date.now() / 1_000);
  await database.execute({
    text: `INSERT INTO nft_tokens (chain_key, address, token_id, erc_type, name, symbol, owner, token_uri, read_height,
             read_at, index_status, metadata, index_height, indexed_at, index_again_at, requested_at, stored_bytes)
           SELECT $1, $2, id, 'ERC-721', 'Collected Works', 'WORK', decode(md5(id::text) || '00000000', 'hex'),
                  'ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi/' || id || '.json', 1, $4::bigint,
                  'indexed', $5, 1, $4::bigint, $4::bigint + 1000000, $4::bigint, 1000
             FROM generate_series(0, $3::int - 1) AS id`,
    values: [
      evmChainKey(NFT_CHAIN),
      Buffer.from(NFT_COLLECTION.slice(2), 'hex'),
      count,
      now,
      JSON.stringify(metadata),
    ],
  });
  await database.execute({ text: 'ANALYZE nft_tokens', values: [] });
}
