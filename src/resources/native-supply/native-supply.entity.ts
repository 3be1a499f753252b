import { Entity } from 'typeorm';
import type { NetworkName } from '../../platform/config/config.module.js';
import { Json, Text, Timestamp } from '../../platform/database/columns.js';
import type { SupplyFigures } from './supply.js';

/** What was last worked out, null until all of it could be for the first time, and why nothing newer was. */
@Entity({ name: 'native_supply' })
export class NativeSupply {
  @Text({ key: true }) readonly network: NetworkName;
  @Json({ nullable: true }) readonly figures: SupplyFigures | null;
  @Timestamp({ nullable: true }) readonly updatedAt: Date | null;
  @Text({ nullable: true }) readonly problem: string | null;
}
