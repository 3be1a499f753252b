import { Check, Entity, Index } from 'typeorm';
import type { NetworkName } from '../../../platform/config/config.module.js';
import * as Column from '../../../platform/database/columns.js';

/**
 * A verified signature, uncompressed: a message of a hundred signers is put together anew in a fifth of the time. The key is the whole
 * compressed public key: keys P and -P share their x coordinate.
 */
@Entity({ name: 'validator_signatures' })
@Index('validator_signatures_created_at_idx', ['createdAt'])
@Check(
  'validator_signatures_lengths',
  '(octet_length(message_id) = 32) AND (octet_length(public_key) = 48) AND (octet_length(signature) = 192)',
)
export class ValidatorSignature {
  @Column.Hex({ key: true }) readonly messageId!: string;
  @Column.Hex({ key: true }) readonly publicKey!: string;
  @Column.Hex() readonly signature!: string;
  @Column.Timestamp({ default: () => 'now()' }) readonly createdAt!: Date;
}

/** A signed message, good while the validator set has this digest. */
@Entity({ name: 'aggregated_signatures' })
@Index('aggregated_signatures_created_at_idx', ['createdAt'])
@Check(
  'aggregated_signatures_lengths',
  '(octet_length(request_digest) = 32) AND (octet_length(validator_set_digest) = 32)',
)
export class AggregatedSignature {
  @Column.Text({ key: true }) readonly network!: NetworkName;
  @Column.Hex({ key: true }) readonly requestDigest!: string;
  @Column.Hex() readonly validatorSetDigest!: string;
  @Column.Text() readonly signingSubnetId!: string;
  @Column.Text() readonly sourceBlockchainId!: string;
  @Column.Uint64() readonly pChainHeight!: bigint;
  @Column.Uint64() readonly signedWeight!: bigint;
  @Column.Uint64() readonly totalWeight!: bigint;
  @Column.Hex() readonly signedMessage!: string;
  @Column.Timestamp({ default: () => 'now()' }) readonly createdAt!: Date;
}
