import * as Column from '../../platform/database/columns.js';

/** The owner of an output or a subnet, as far as it is known. */
export class Owners {
  @Column.Uint64({ nullable: true }) readonly locktime!: bigint;
  @Column.Int({ nullable: true }) readonly threshold!: number;
  @Column.Hexes({ nullable: true }) readonly addresses!: readonly string[];
}
