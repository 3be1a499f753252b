import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A finished aggregation, valid while the canonical validator set still has this digest. */
@Entity('aggregated_signatures')
export class AggregatedSignature {
  @PrimaryColumn('text')
  network: string;

  @PrimaryColumn('bytea', { name: 'request_digest' })
  requestDigest: Buffer;

  @Column('bytea', { name: 'validator_set_digest' })
  validatorSetDigest: Buffer;

  @Column('text', { name: 'signing_subnet_id' })
  signingSubnetId: string;

  @Column('text', { name: 'source_blockchain_id' })
  sourceBlockchainId: string;

  /** Decimal text: a uint64 does not fit a JavaScript number. */
  @Column('numeric', { name: 'p_chain_height' })
  pChainHeight: string;

  @Column('numeric', { name: 'signed_weight' })
  signedWeight: string;

  @Column('numeric', { name: 'total_weight' })
  totalWeight: string;

  @Column('bytea', { name: 'signed_message' })
  signedMessage: Buffer;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;
}
