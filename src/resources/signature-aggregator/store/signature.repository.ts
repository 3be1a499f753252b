import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import type { SaveAggregatedSignatureInput } from '../../../../workflows/contracts/aggregate-signatures.js';
import { PUBLIC_KEY_BYTES, UNCOMPRESSED_SIGNATURE_BYTES } from '../../../avalanche/bls/bls.js';
import { unsignedMessageId } from '../../../avalanche/warp/unsigned-message.js';
import { Database } from '../../../platform/database/database.js';
import { toBytes } from '../../../platform/database/shaped-query.js';
import type { ValidatorSetAtHeight } from '../../../platform/networks/network.js';
import { AggregatedSignature, ValidatorSignature } from './signature.entities.js';

/**
 * Ends the statement's transaction without waiting for the disk: a crash of Postgres may lose the last fraction of a second, and
 * what is lost is asked for again. Saves a disk flush in the middle of an answer.
 */
const WITHOUT_WAITING_FOR_DISK = `set_config('synchronous_commit', 'off', true)`;

/** Removed in one statement. */
const PIECE_ROWS = 10_000;
/**
 * Signatures beyond that are removed, the oldest first: 2 GB, or the messages of two days at one in six seconds on the largest
 * network. Between two removals processes add what they have time to prove.
 */
const MAX_SIGNATURES = 5_000_000;

/** Postgres notifies on this channel, by its key, of each result that was just stored and is awaited. */
export const AGGREGATED_SIGNATURES_CHANNEL = 'aggregated_signatures';

/** Names a request among those of all networks. */
export function aggregationKey(request: AggregationName): string {
  return `${request.network}:${request.requestDigest}`;
}

/** `requestDigest`: hex. */
type AggregationName = Pick<SaveAggregatedSignatureInput, 'network' | 'requestDigest'>;

interface StoredMessage {
  readonly signedMessage: Buffer | null;
  readonly validatorSetDigest: Buffer | null;
  readonly hasSignatures: boolean;
}

export interface StoredAnswer {
  /** Hex of the signed message; undefined unless it holds for the validator set. */
  readonly signedMessage: string | undefined;
  /** Whether there are signatures of single validators over the message. */
  readonly hasSignatures: boolean;
}

/** One validator's verified signature over one message, whatever the validator set. */
export interface KnownSignature {
  /** Compressed, 48 bytes. */
  readonly publicKey: Buffer;
  /** 192 bytes, uncompressed. */
  readonly signature: Buffer;
}

@Injectable()
export class SignatureRepository {
  constructor(
    @InjectRepository(AggregatedSignature) private readonly aggregated: Repository<AggregatedSignature>,
    @InjectRepository(ValidatorSignature) private readonly signatures: Repository<ValidatorSignature>,
    private readonly database: Database,
  ) {}

  /**
   * The stored signed message counts while the validator set is unchanged. This is the whole cost of answering an equal request again, so
   * the set is found meanwhile.
   */
  async findAnswer(
    request: AggregationName & { message: string },
    signingSet: Promise<ValidatorSetAtHeight | undefined>,
  ): Promise<StoredAnswer> {
    const messageId = unsignedMessageId(toBytes(request.message));
    const [stored, at] = await Promise.all([this.findRow(request, Buffer.from(messageId)), signingSet]);
    const isCurrent = at !== undefined && stored?.validatorSetDigest?.toString('hex') === at.set.digest;
    return {
      signedMessage: isCurrent ? stored.signedMessage?.toString('hex') : undefined,
      hasSignatures: stored?.hasSignatures ?? false,
    };
  }

  /** Hex of the signed message that was stored last. */
  async findLatest(request: AggregationName): Promise<string | undefined> {
    return (await this.findRow(request, Buffer.alloc(0)))?.signedMessage?.toString('hex');
  }

  /**
   * Stores results; the newest replaces an older one, since its validator set is the current one. Notifies processes that wait for
   * them.
   */
  async saveAggregated(results: readonly SaveAggregatedSignatureInput[]): Promise<void> {
    // One statement cannot replace a row twice.
    const rows = [...new Map(results.map((row) => [aggregationKey(row), row])).values()];
    if (rows.length === 0) return;
    await this.database.query({
      text: `WITH saved AS (INSERT INTO aggregated_signatures (network, request_digest, validator_set_digest,
         signing_subnet_id, source_blockchain_id, p_chain_height, signed_weight, total_weight, signed_message)
       SELECT batch.* FROM ${WITHOUT_WAITING_FOR_DISK}, unnest($1::text[], $2::bytea[], $3::bytea[], $4::text[], $5::text[],
         $6::numeric[], $7::numeric[], $8::numeric[], $9::bytea[]) AS batch
        ORDER BY 1, 2
       ON CONFLICT (network, request_digest) DO UPDATE SET
         validator_set_digest = excluded.validator_set_digest, p_chain_height = excluded.p_chain_height,
         signed_weight = excluded.signed_weight, total_weight = excluded.total_weight,
         signed_message = excluded.signed_message, created_at = now()
       WHERE aggregated_signatures.p_chain_height <= excluded.p_chain_height)
       SELECT pg_notify('${AGGREGATED_SIGNATURES_CHANNEL}', awaited.key) FROM unnest($10::text[]) AS awaited (key)`,
      values: [
        rows.map(({ network }) => network),
        rows.map(({ requestDigest }) => toBytes(requestDigest)),
        rows.map(({ validatorSet }) => toBytes(validatorSet.validatorSetDigest)),
        rows.map(({ validatorSet }) => validatorSet.signingSubnetId),
        rows.map(({ sourceBlockchainId }) => sourceBlockchainId),
        rows.map(({ validatorSet }) => validatorSet.pChainHeight),
        rows.map(({ collected }) => collected.signedWeight),
        rows.map(({ validatorSet }) => validatorSet.totalWeight),
        rows.map(({ collected }) => toBytes(collected.signedMessage)),
        [...new Set(results.filter(({ isAwaited }) => isAwaited).map(aggregationKey))],
      ],
      onePlan: true,
    });
  }

  /** Whether a validator's signature over the message is stored. */
  async hasSignatures(message: Uint8Array): Promise<boolean> {
    const rows = await this.database.query({
      text: 'SELECT FROM validator_signatures WHERE message_id = $1 LIMIT 1',
      values: [Buffer.from(unsignedMessageId(message))],
      onePlan: true,
    });
    return rows.length > 0;
  }

  /** As one value: a row for each of hundreds would take the driver longer than Postgres. */
  async findSignatures(messageId: Buffer): Promise<KnownSignature[]> {
    const [row] = await this.database.query<{ signatures: Buffer | null }>({
      text: `SELECT string_agg(public_key || signature, NULL) AS signatures FROM validator_signatures WHERE message_id = $1`,
      values: [messageId],
      onePlan: true,
    });
    const all = row?.signatures ?? Buffer.alloc(0);
    const found: KnownSignature[] = [];
    for (let at = 0; at < all.length; at += PUBLIC_KEY_BYTES + UNCOMPRESSED_SIGNATURE_BYTES) {
      const signatureAt = at + PUBLIC_KEY_BYTES;
      found.push({
        publicKey: all.subarray(at, signatureAt),
        signature: all.subarray(signatureAt, signatureAt + UNCOMPRESSED_SIGNATURE_BYTES),
      });
    }
    return found;
  }

  /**
   * Several workers may insert the same ones: the first wins, all are equal (BLS signatures are deterministic). Ordered, because
   * two batches that lock the same keys in different orders would deadlock.
   */
  async saveSignatures(messageId: Buffer, signatures: readonly KnownSignature[]): Promise<void> {
    if (signatures.length === 0) return;
    await this.database.query({
      text: `INSERT INTO validator_signatures (message_id, public_key, signature)
       SELECT $1, batch.public_key, batch.signature
         FROM unnest($2::bytea[], $3::bytea[]) AS batch (public_key, signature), ${WITHOUT_WAITING_FOR_DISK}
        ORDER BY batch.public_key
       ON CONFLICT DO NOTHING`,
      values: [
        messageId,
        signatures.map(({ publicKey }) => publicKey),
        signatures.map(({ signature }) => signature),
      ],
    });
  }

  private async findRow(
    { network, requestDigest }: AggregationName,
    messageId: Buffer,
  ): Promise<StoredMessage | undefined> {
    const [row] = await this.database.query<StoredMessage>({
      text: `SELECT a.signed_message AS "signedMessage", a.validator_set_digest AS "validatorSetDigest",
              EXISTS (SELECT FROM validator_signatures s WHERE s.message_id = $3) AS "hasSignatures"
         FROM (SELECT) AS request LEFT JOIN aggregated_signatures a ON a.network = $1 AND a.request_digest = $2`,
      values: [network, toBytes(requestDigest), messageId],
      onePlan: true,
    });
    return row;
  }

  /** Ids of subnets whose validators signed in the last days, the latest first. */
  async findRecentSubnets(network: string, within: { days: number; limit: number }): Promise<string[]> {
    const rows = await this.aggregated
      .createQueryBuilder('a')
      .select('a.signingSubnetId', 'subnetId')
      .where('a.network = :network', { network })
      .andWhere('a.createdAt > now() - make_interval(days => :days)', { days: within.days })
      .groupBy('a.signingSubnetId')
      .orderBy('max(a.createdAt)', 'DESC')
      .limit(within.limit)
      .getRawMany<{ subnetId: string }>();
    return rows.map(({ subnetId }) => subnetId);
  }

  /** Both tables are caches of what the network can answer again. In pieces: one statement for millions of rows would never end. */
  async removeOld({
    days,
    maxSignatures = MAX_SIGNATURES,
    pieceRows = PIECE_ROWS,
  }: {
    days: number;
    maxSignatures?: number;
    pieceRows?: number;
  }): Promise<void> {
    for (const { metadata } of [this.signatures, this.aggregated]) {
      let removed: number;
      do removed = await this.removeOldest(metadata.tableName, days, pieceRows);
      while (removed === pieceRows);
    }
    let excess = (await this.signatures.count()) - maxSignatures;
    while (excess > 0) {
      await this.removeOldest(this.signatures.metadata.tableName, 0, Math.min(pieceRows, excess));
      excess -= pieceRows;
    }
  }

  private removeOldest(table: string, days: number, rows: number): Promise<number> {
    const text = `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM ${table} WHERE created_at < now() - make_interval(days => $1) ORDER BY created_at LIMIT $2))`;
    return this.database.execute({ text, values: [days, rows] });
  }
}
