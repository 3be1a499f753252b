import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import type { SaveAggregatedSignatureInput } from '../../../../workflows/contracts/aggregate-signatures.js';
import { Database } from '../../../platform/database/database.js';
import { ShapedQuery, toBytes } from '../../../platform/database/shaped-query.js';
import type { ValidatorSetAtHeight } from '../../../platform/networks/network.js';
import { AggregatedSignature, ValidatorSignature } from './signature.entities.js';

/**
 * Ends the statement's transaction without waiting for the disk: a crash of Postgres may lose the last fraction of a second, and
 * what is lost is asked for again. Saves a disk flush in the middle of an answer.
 */
const WITHOUT_WAITING_FOR_DISK = `set_config('synchronous_commit', 'off', true)`;

/** Removed in one statement. */
const PIECE_ROWS = 10_000;

/** Postgres notifies on this channel, by its key, of each result that was just stored and is awaited. */
export const AGGREGATED_SIGNATURES_CHANNEL = 'aggregated_signatures';

/** Names a request among those of all networks. */
export function aggregationKey(request: AggregationName): string {
  return `${request.network}:${request.requestDigest}`;
}

/** `requestDigest`: hex. */
type AggregationName = Pick<SaveAggregatedSignatureInput, 'network' | 'requestDigest'>;

interface StoredMessage {
  readonly signedMessage: Buffer;
  readonly validatorSetDigest: Buffer;
}

/** One validator's verified signature over one message; what a restarted collection resumes from. */
export interface KnownSignature {
  /** Compressed, 48 bytes. */
  readonly publicKey: Buffer;
  /** 96 bytes. */
  readonly signature: Buffer;
}

@Injectable()
export class SignatureRepository {
  private readonly aggregatedByDigest = new ShapedQuery(() =>
    this.aggregated
      .createQueryBuilder('a')
      .select('a.signedMessage', 'signedMessage')
      .addSelect('a.validatorSetDigest', 'validatorSetDigest')
      .where('a.network = :network AND a.requestDigest = :requestDigest'),
  );
  private readonly signaturesOf = new ShapedQuery(() =>
    this.signatures
      .createQueryBuilder('s')
      .select('s.publicKey', 'publicKey')
      .addSelect('s.signature', 'signature')
      .where('s.messageId = :messageId'),
  );

  constructor(
    @InjectRepository(AggregatedSignature) private readonly aggregated: Repository<AggregatedSignature>,
    @InjectRepository(ValidatorSignature) private readonly signatures: Repository<ValidatorSignature>,
    private readonly database: Database,
  ) {}

  /**
   * Hex of the stored signed message if it still counts: it does while the validator set is unchanged. This is the whole cost of
   * answering an equal request again, so the set is found meanwhile.
   */
  async findCurrent(
    request: AggregationName,
    signingSet: Promise<ValidatorSetAtHeight | undefined>,
  ): Promise<string | undefined> {
    const [stored, at] = await Promise.all([this.findRow(request), signingSet]);
    const isCurrent = stored?.validatorSetDigest.toString('hex') === at?.set.digest;
    return isCurrent ? stored?.signedMessage.toString('hex') : undefined;
  }

  /** Hex of the signed message that was stored last. */
  async findLatest(request: AggregationName): Promise<string | undefined> {
    return (await this.findRow(request))?.signedMessage.toString('hex');
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

  findSignatures(messageId: Buffer): Promise<KnownSignature[]> {
    return this.database.query<KnownSignature>(this.signaturesOf.statement({}, { messageId }));
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

  private async findRow({ network, requestDigest }: AggregationName): Promise<StoredMessage | undefined> {
    const values = { network, requestDigest: toBytes(requestDigest) };
    const [row] = await this.database.query<StoredMessage>(this.aggregatedByDigest.statement({}, values));
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
  async removeOlderThan({
    days,
    pieceRows = PIECE_ROWS,
  }: {
    days: number;
    pieceRows?: number;
  }): Promise<void> {
    for (const { metadata } of [this.signatures, this.aggregated]) {
      const table = metadata.tableName;
      const text = `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
          SELECT ctid FROM ${table} WHERE created_at < now() - make_interval(days => $1) ORDER BY created_at LIMIT $2))`;
      let removed: number;
      do removed = await this.database.execute({ text, values: [days, pieceRows] });
      while (removed === pieceRows);
    }
  }
}
