import { Entity } from 'typeorm';
import type { NetworkName } from '../../platform/config/config.module.js';
import { Json, Text, Timestamp } from '../../platform/database/columns.js';

/** `figures`: the answer, as its JSON; null until all of it could be worked out for the first time. */
@Entity({ name: 'native_supply' })
export class NativeSupplyEntity {
  @Text({ key: true }) readonly network: NetworkName;
  @Json({ nullable: true }) readonly figures: unknown;
  @Timestamp({ nullable: true }) readonly updatedAt: Date | null;
  @Text({ nullable: true }) readonly problem: string | null;
}
