import { Entity } from 'typeorm';
import type { NetworkName } from '../../platform/config/config.module.js';
import * as Column from '../../platform/database/columns.js';
import type { SupplyFigures } from './supply.js';

/** The last calculated supply, null before the first complete one, and why nothing newer was calculated. */
@Entity({ name: 'native_supply' })
export class NativeSupply {
  @Column.Text({ key: true }) readonly network!: NetworkName;
  @Column.Json({ nullable: true }) readonly figures!: SupplyFigures | null;
  /** Where the figures rest on an imported baseline. */
  @Column.BigInteger({ nullable: true }) readonly baselineHeight!: bigint | null;
  @Column.Timestamp({ nullable: true }) readonly updatedAt!: Date | null;
  @Column.Text({ nullable: true }) readonly problem!: string | null;
}
