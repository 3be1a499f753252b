import { Entity } from 'typeorm';
import { Bytes, Text, Timestamp } from '../database/columns.js';

/** A key that all API processes share, made by the first that needs it. */
@Entity({ name: 'service_secrets' })
export class ServiceSecret {
  @Text({ key: true }) readonly name: string;
  @Bytes() readonly value: Uint8Array;
  @Timestamp({ default: () => 'now()' }) readonly createdAt: Date;
}
