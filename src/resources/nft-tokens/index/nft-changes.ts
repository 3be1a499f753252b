import { type Address, evmBytesOf } from '../../../avalanche/evm/rpc/hex-values.js';
import { evmChainKey, type EvmChainRef } from '../../../platform/database/chains.js';
import type { Queryable } from '../../../platform/database/database.js';

/** Tokens of a contract, from the first to the last, that a block reports as changed. */
export interface NftChange {
  readonly address: Address;
  readonly first: bigint;
  readonly last: bigint;
  readonly height: bigint;
}

/**
 * Records for known tokens the last block with a change. When a token is read, it is found to be older than that block, and is
 * read from its contract again. Nothing is recorded for tokens that were never requested: they will be read at a later block
 * anyway. Rows are locked in one order, as several processes may do so at the same time.
 */
export async function markChanged(
  queryable: Queryable,
  chain: EvmChainRef,
  column: 'moved_height' | 'updated_height',
  changes: readonly NftChange[],
): Promise<void> {
  if (changes.length === 0) return;
  await queryable.execute({
    text: `WITH changed AS (
             SELECT token.address, token.token_id, max(said.height) AS height
               FROM unnest($2::bytea[], $3::numeric[], $4::numeric[], $5::bigint[]) AS said (address, first, last, height)
               JOIN nft_tokens AS token ON token.chain_key = $1 AND token.address = said.address
                AND token.token_id BETWEEN said.first AND said.last
              GROUP BY token.address, token.token_id
           ), locked AS (
             SELECT token.address, token.token_id, changed.height FROM changed
               JOIN nft_tokens AS token ON token.chain_key = $1
                AND token.address = changed.address AND token.token_id = changed.token_id
              ORDER BY token.address, token.token_id FOR UPDATE OF token
           )
           UPDATE nft_tokens AS known SET ${column} = locked.height FROM locked
            WHERE known.chain_key = $1 AND known.address = locked.address AND known.token_id = locked.token_id
              AND known.${column} < locked.height`,
    values: [
      evmChainKey(chain),
      changes.map(({ address }) => evmBytesOf(address)),
      changes.map(({ first }) => first.toString()),
      changes.map(({ last }) => last.toString()),
      changes.map(({ height }) => height.toString()),
    ],
  });
}
