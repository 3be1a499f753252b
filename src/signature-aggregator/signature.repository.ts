import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { AggregatedSignature } from './entities/aggregated-signature.entity.js';
import { ValidatorSignature } from './entities/validator-signature.entity.js';

/**
 * Ends the statement's transaction without waiting for the disk: a crash of Postgres may lose the last fraction of a second, and
 * what is lost is asked for again. Saves a disk flush in the middle of an answer.
 */
const WITHOUT_WAITING_FOR_DISK = `set_config('synchronous_commit', 'off', true)`;

/** Postgres tells on this channel, by its key, which result has just been stored. */
export const AGGREGATED_SIGNATURES_CHANNEL = 'aggregated_signatures';

export function aggregationKey(network: string, requestDigest: Buffer): string {
  return `${network}:${requestDigest.toString('hex')}`;
}

export type NewAggregatedSignature = Omit<AggregatedSignature, 'createdAt'>;
export type NewValidatorSignature = Pick<ValidatorSignature, 'publicKey' | 'signature'>;

@Injectable()
export class SignatureRepository {
  constructor(
    @InjectRepository(AggregatedSignature) private readonly aggregated: Repository<AggregatedSignature>,
    @InjectRepository(ValidatorSignature) private readonly signatures: Repository<ValidatorSignature>,
  ) {}

  /** Raw SQL: this is the whole cost of answering an equal request again. */
  async findAggregated(
    network: string,
    requestDigest: Buffer,
  ): Promise<{ signedMessage: Buffer; validatorSetDigest: Buffer } | undefined> {
    const rows: { signedMessage: Buffer; validatorSetDigest: Buffer }[] = await this.aggregated.query(
      `SELECT signed_message AS "signedMessage", validator_set_digest AS "validatorSetDigest"
         FROM aggregated_signatures WHERE network = $1 AND request_digest = $2`,
      [network, requestDigest],
    );
    return rows[0];
  }

  /** Stores a result and tells those who wait for it. The newest result replaces an older one: its validator set is the current one. */
  async saveAggregated(result: NewAggregatedSignature): Promise<void> {
    await this.aggregated.query(
      `WITH saved AS (INSERT INTO aggregated_signatures (network, request_digest, validator_set_digest, signing_subnet_id,
         source_blockchain_id, p_chain_height, signed_weight, total_weight, signed_message)
       SELECT $1, $2::bytea, $3::bytea, $4, $5, $6::numeric, $7::numeric, $8::numeric, $9::bytea FROM ${WITHOUT_WAITING_FOR_DISK}
       ON CONFLICT (network, request_digest) DO UPDATE SET
         validator_set_digest = excluded.validator_set_digest, p_chain_height = excluded.p_chain_height,
         signed_weight = excluded.signed_weight, total_weight = excluded.total_weight,
         signed_message = excluded.signed_message, created_at = now()
       WHERE aggregated_signatures.p_chain_height <= excluded.p_chain_height)
       SELECT pg_notify('${AGGREGATED_SIGNATURES_CHANNEL}', $10)`,
      [
        result.network,
        result.requestDigest,
        result.validatorSetDigest,
        result.signingSubnetId,
        result.sourceBlockchainId,
        result.pChainHeight,
        result.signedWeight,
        result.totalWeight,
        result.signedMessage,
        aggregationKey(result.network, result.requestDigest),
      ],
    );
  }

  async findSignatures(messageId: Buffer): Promise<NewValidatorSignature[]> {
    return this.signatures.query(
      `SELECT public_key AS "publicKey", signature FROM validator_signatures WHERE message_id = $1`,
      [messageId],
    );
  }

  /**
   * Several workers may insert the same ones: the first wins, all are equal (BLS signatures are deterministic). Ordered, because
   * two batches that lock the same keys in different orders would deadlock.
   */
  async saveSignatures(messageId: Buffer, signatures: readonly NewValidatorSignature[]): Promise<void> {
    if (signatures.length === 0) return;
    await this.signatures.query(
      `INSERT INTO validator_signatures (message_id, public_key, signature)
       SELECT $1, batch.public_key, batch.signature
         FROM unnest($2::bytea[], $3::bytea[]) AS batch (public_key, signature), ${WITHOUT_WAITING_FOR_DISK}
        ORDER BY batch.public_key
       ON CONFLICT DO NOTHING`,
      [messageId, signatures.map(({ publicKey }) => publicKey), signatures.map(({ signature }) => signature)],
    );
  }

  /** Both tables are caches of what the network can answer again. */
  async removeOlderThan(age: { days: number }): Promise<void> {
    const interval = `${age.days} days`;
    await this.signatures.query('DELETE FROM validator_signatures WHERE created_at < now() - $1::interval', [
      interval,
    ]);
    await this.aggregated.query('DELETE FROM aggregated_signatures WHERE created_at < now() - $1::interval', [
      interval,
    ]);
  }
}
