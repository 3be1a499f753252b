import { Entity } from 'typeorm';
import * as Column from '../database/columns.js';

/** A key that all API processes share, made by the first that needs it. */
@Entity({ name: 'service_secrets' })
export class ServiceSecret {
  @Column.Text({ key: true }) readonly name!: string;
  /** From 1; rises with each rotation. */
  @Column.Int({ key: true }) readonly version!: number;
  @Column.Bytes() readonly value!: Uint8Array;
  @Column.Timestamp({ default: () => 'now()' }) readonly createdAt!: Date;
}
