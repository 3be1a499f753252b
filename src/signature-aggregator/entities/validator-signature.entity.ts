import { Column, Entity, PrimaryColumn } from 'typeorm';

/** One validator's verified signature over one message; what a restarted collection resumes from. */
@Entity('validator_signatures')
export class ValidatorSignature {
  /** SHA-256 of the packed unsigned message. */
  @PrimaryColumn('bytea', { name: 'message_id' })
  messageId: Buffer;

  /** Compressed, 48 bytes. */
  @PrimaryColumn('bytea', { name: 'public_key' })
  publicKey: Buffer;

  /** 96 bytes. */
  @Column('bytea')
  signature: Buffer;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;
}
