import { evmBytesOf } from '../../avalanche/evm/rpc/hex-values.js';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { LessThanOrEqual, type Repository } from 'typeorm';
import type { NftToken } from '../../avalanche/evm/nft/nft-reader.js';
import { evmChainKey } from '../../platform/database/chains.js';
import { Database, type Statement } from '../../platform/database/database.js';
import { columnNames, columnsWithout } from '../../platform/database/entity-columns.js';
import { selectColumns, ShapedQuery } from '../../platform/database/shaped-query.js';
import type { IndexStatus } from './metadata/index-status.js';
import type { NftMetadata } from './metadata/nft-metadata.js';
import { NftTokenEntity } from './nft-token.entity.js';
import { NftEviction } from './nft-eviction.js';
import { findingOf, type NftKey, type NftRow, REQUEST_NOTED_SECONDS } from './nft-token.js';

const ROW = columnsWithout(NftTokenEntity, 'chainKey', 'address', 'tokenId', 'storedBytes');

/** Bytes that a row and its places in the indexes take without URI and metadata; names have a limit of their own. */
const ROW_BYTES = 600;

/** The end of an attempt to get a token's metadata. */
export interface IndexOutcome {
  readonly status: IndexStatus;
  /** Left out: what was fetched before from the same URI stays. */
  readonly metadata?: NftMetadata | undefined;
  readonly now: number;
  readonly againAt: number;
  readonly failures: number;
}

/** Of two readings at about the same time, by two processes or from two nodes, the one at the higher block is kept. */
const SAME_TIME_SECONDS = 300;

/** Metadata of another URI is forgotten; that of the same one stays until it is fetched again. */
const SAVE_READING = `
  INSERT INTO nft_tokens AS known
    (chain_key, address, token_id, erc_type, name, symbol, owner, token_uri, finding, read_height, read_at, requested_at, stored_bytes)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11, $12)
  ON CONFLICT (chain_key, address, token_id) DO UPDATE SET
    erc_type = EXCLUDED.erc_type, name = EXCLUDED.name, symbol = EXCLUDED.symbol, owner = EXCLUDED.owner,
    token_uri = EXCLUDED.token_uri, finding = EXCLUDED.finding,
    read_height = EXCLUDED.read_height, read_at = EXCLUDED.read_at,
    (index_status, metadata, index_height, indexed_at, index_again_at, failures, stored_bytes) = (
      SELECT known.index_status, known.metadata, known.index_height, known.indexed_at, known.index_again_at, known.failures,
             known.stored_bytes
       WHERE known.token_uri IS NOT DISTINCT FROM EXCLUDED.token_uri
       UNION ALL
      SELECT NULL, NULL, NULL, NULL, NULL, 0, EXCLUDED.stored_bytes
       WHERE known.token_uri IS DISTINCT FROM EXCLUDED.token_uri
    )
   WHERE known.read_height <= EXCLUDED.read_height OR known.read_at < EXCLUDED.read_at - ${SAME_TIME_SECONDS}
  RETURNING ${columnNames(ROW.columns)}`;

/** The NFTs that have been requested. */
@Injectable()
export class NftTokenRepository {
  private readonly byKey = new ShapedQuery(() =>
    selectColumns(this.tokens.createQueryBuilder('t'), { t: ROW }).where(
      't.chainKey = :chainKey AND t.address = :address AND t.tokenId = :tokenId',
    ),
  );

  constructor(
    @InjectRepository(NftTokenEntity) private readonly tokens: Repository<NftTokenEntity>,
    private readonly database: Database,
    private readonly eviction: NftEviction,
  ) {}

  async find(key: NftKey): Promise<NftRow | undefined> {
    return (await this.database.query(this.statement(key))).map(ROW.read)[0];
  }

  statement(key: NftKey): Statement {
    const { chainKey, address, tokenId } = keyOf(key);
    return this.byKey.statement({}, { chainKey, address: evmBytesOf(address), tokenId });
  }

  /** What is on record then, which may be a later reading. */
  async saveReading(key: NftKey, token: NftToken, now: number): Promise<NftRow | undefined> {
    const { chainKey, address, tokenId } = keyOf(key);
    const { ercType, owner, tokenUri, finding } = toReading(token);
    const bytes = bytesOfRow(tokenUri);
    const rows = await this.database.query({
      text: SAVE_READING,
      values: [
        ...[chainKey, evmBytesOf(address), tokenId, ercType, token.name, token.symbol],
        ...[owner && evmBytesOf(owner), tokenUri, finding, token.height, now, bytes],
      ],
    });
    if (rows.length === 0) return this.find(key);
    await this.eviction.noteWritten(bytes);
    return rows.map(ROW.read)[0];
  }

  /** Tokens that have not been requested for the longest go first when there is no more room. Of several at once, one writes. */
  async noteRequest(key: NftKey, now: number): Promise<void> {
    await this.tokens.update(
      { ...keyOf(key), requestedAt: LessThanOrEqual(now - REQUEST_NOTED_SECONDS) },
      { requestedAt: now },
    );
  }

  /** Of what was fetched from `row.tokenUri`: nothing is kept when the contract has another URI meanwhile. */
  async saveOutcome(key: NftKey, { tokenUri, readHeight }: NftRow, outcome: IndexOutcome): Promise<void> {
    if (tokenUri === null) return;
    const { status, metadata, now, againAt, failures } = outcome;
    const bytes = bytesOfRow(tokenUri, metadata);
    await this.tokens.update(
      { ...keyOf(key), tokenUri },
      {
        indexStatus: status,
        ...(metadata && { metadata, storedBytes: bytes }),
        indexHeight: readHeight,
        indexedAt: now,
        indexAgainAt: againAt,
        failures,
      },
    );
    if (metadata !== undefined) await this.eviction.noteWritten(bytes);
  }

  async remove(key: NftKey): Promise<void> {
    await this.tokens.delete(keyOf(key));
  }
}

/** As it would be on record. */
export function toReading(token: NftToken): Pick<NftRow, 'ercType' | 'owner' | 'tokenUri' | 'finding'> {
  const { ercType, owner, uri } = token;
  return { ercType, owner, tokenUri: uri.status === 'given' ? uri.uri : null, finding: findingOf(token) };
}

function bytesOfRow(tokenUri: string | null, metadata?: NftMetadata): number {
  const uriBytes = Buffer.byteLength(tokenUri ?? '');
  return ROW_BYTES + uriBytes + (metadata === undefined ? 0 : Buffer.byteLength(JSON.stringify(metadata)));
}

function keyOf({ address, tokenId, ...chain }: NftKey) {
  return { chainKey: evmChainKey(chain), address, tokenId };
}
