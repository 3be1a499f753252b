import { Hexes, Int, Uint64 } from '../../platform/database/columns.js';

/** The owner of an output or a subnet, as far as it is known. */
export class Owners {
  @Uint64({ nullable: true }) readonly locktime: bigint;
  @Int({ nullable: true }) readonly threshold: number;
  @Hexes({ nullable: true }) readonly addresses: readonly string[];
}
