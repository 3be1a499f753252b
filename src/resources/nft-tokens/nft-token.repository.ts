import { Injectable } from '@nestjs/common';
import type { Address } from '../../avalanche/evm/rpc/hex-values.js';
import type { NftToken } from '../../avalanche/evm/nft/nft-reader.js';
import { evmChainKey } from '../../platform/database/chains.js';
import { Database } from '../../platform/database/database.js';
import type { Statement } from '../../platform/database/statement.js';
import type { IndexStatus } from './metadata/index-status.js';
import type { NftMetadata } from './metadata/nft-metadata.js';
import { type Finding, findingOf, type NftKey, type NftRow } from './nft-token.js';

const COLUMNS = [
  'erc_type',
  'name',
  'symbol',
  'owner',
  'token_uri',
  'finding',
  'read_height',
  'read_at',
  'index_status',
  'metadata',
  'index_height',
  'indexed_at',
  'index_again_at',
  'failures',
  'moved_height',
  'updated_height',
].join(', ');

/** The end of an attempt to get a token's metadata. */
export interface IndexOutcome {
  readonly status: IndexStatus;
  /** Left out: what was fetched before from the same URI stays. */
  readonly metadata?: NftMetadata | undefined;
  readonly now: number;
  readonly againAt: number;
  readonly failures: number;
}

/** What was indexed of another URI is forgotten; what was fetched from the same one stays until it is fetched again. */
const SAVE_READING = `
  INSERT INTO nft_tokens AS known
    (chain_key, address, token_id, erc_type, name, symbol, owner, token_uri, finding, read_height, read_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
  ON CONFLICT (chain_key, address, token_id) DO UPDATE SET
    erc_type = EXCLUDED.erc_type, name = EXCLUDED.name, symbol = EXCLUDED.symbol, owner = EXCLUDED.owner,
    token_uri = EXCLUDED.token_uri, finding = EXCLUDED.finding,
    read_height = EXCLUDED.read_height, read_at = EXCLUDED.read_at,
    (index_status, metadata, index_height, indexed_at, index_again_at, failures) = (
      SELECT known.index_status, known.metadata, known.index_height, known.indexed_at, known.index_again_at, known.failures
       WHERE known.token_uri IS NOT DISTINCT FROM EXCLUDED.token_uri
       UNION ALL
      SELECT NULL, NULL, NULL, NULL, NULL, 0
       WHERE known.token_uri IS DISTINCT FROM EXCLUDED.token_uri
    )
  RETURNING ${COLUMNS}`;

/** The NFTs that have been requested. */
@Injectable()
export class NftTokenRepository {
  constructor(private readonly database: Database) {}

  async find(key: NftKey): Promise<NftRow | undefined> {
    const [row] = await this.database.query<NftRow>(findNft(key));
    return row;
  }

  async saveReading(key: NftKey, token: NftToken, now: number): Promise<NftRow | undefined> {
    const [row] = await this.database.query<NftRow>({
      text: SAVE_READING,
      values: [...keyValues(key), ...readingValues(token), now],
    });
    return row;
  }

  /** Of what was fetched from `row.token_uri`: nothing is kept when the contract says another one meanwhile. */
  async saveOutcome(key: NftKey, row: NftRow, outcome: IndexOutcome): Promise<void> {
    const { status, metadata, now, againAt, failures } = outcome;
    await this.database.execute({
      text: `UPDATE nft_tokens SET index_status = $4, metadata = coalesce($5::jsonb, metadata), index_height = $6,
                    indexed_at = $7, index_again_at = $8, failures = $9
              WHERE chain_key = $1 AND address = $2 AND token_id = $3 AND token_uri = $10`,
      values: [
        ...keyValues(key),
        status,
        metadata === undefined ? null : JSON.stringify(metadata),
        row.read_height,
        now,
        againAt,
        failures,
        row.token_uri,
      ],
    });
  }

  async remove(key: NftKey): Promise<void> {
    await this.database.execute({
      text: 'DELETE FROM nft_tokens WHERE chain_key = $1 AND address = $2 AND token_id = $3',
      values: keyValues(key),
    });
  }
}

export function findNft(key: NftKey): Statement {
  return {
    text: `SELECT ${COLUMNS} FROM nft_tokens WHERE chain_key = $1 AND address = $2 AND token_id = $3`,
    values: keyValues(key),
    onePlan: true,
  };
}

/** As it would be on record. */
export interface Reading extends Pick<NftRow, 'erc_type' | 'owner' | 'token_uri'> {
  readonly finding: Finding | null;
}

export function toReading(token: NftToken): Reading {
  return {
    erc_type: token.ercType,
    owner: token.owner === null ? null : bytesOf(token.owner),
    token_uri: token.uri.status === 'said' ? token.uri.uri : null,
    finding: findingOf(token),
  };
}

function readingValues(token: NftToken): unknown[] {
  const { erc_type, owner, token_uri, finding } = toReading(token);
  return [erc_type, token.name, token.symbol, owner, token_uri, finding, token.height];
}

function keyValues(key: NftKey): unknown[] {
  return [evmChainKey(key).toString(), bytesOf(key.address), key.tokenId.toString()];
}

function bytesOf(address: Address): Buffer {
  return Buffer.from(address.slice(2), 'hex');
}
