import { Entity } from 'typeorm';
import * as Column from '../../../platform/database/columns.js';

/**
 * A stretch of a chain's history that is being made beside its tables, from `topHeight` downwards. `topHash`: of the highest block
 * that was written. `expectedTop`: the parent of the block above it, once that is known. `readyTo`: all is there but what has
 * come since then, above this height or into a gap; `made`: the first and last height of each stretch that was not copied. Whoever has
 * not written until `expiresAt` has lost it.
 */
@Entity({ name: 'evm_builds' })
export class EvmBuildEntity {
  @Column.BigInteger({ key: true }) readonly chainKey!: bigint;
  @Column.BigInteger({ key: true }) readonly fromHeight!: bigint;
  @Column.BigInteger() readonly toHeight!: bigint;
  @Column.BigInteger({ generated: 'identity' }) readonly id!: bigint;
  @Column.Int() readonly version!: number;
  @Column.BigInteger() readonly topHeight!: bigint;
  /** The next one to be written. */
  @Column.BigInteger() readonly nextHeight!: bigint;
  @Column.EvmHex({ nullable: true }) readonly topHash!: `0x${string}` | null;
  @Column.EvmHex({ nullable: true }) readonly expectedTop!: `0x${string}` | null;
  /** Parent of the lowest block that was written. */
  @Column.EvmHex({ nullable: true }) readonly parentHash!: `0x${string}` | null;
  @Column.BigInteger({ nullable: true }) readonly readyTo!: bigint | null;
  @Column.Jsonb({ nullable: true }) readonly made!: readonly (readonly [string, string])[] | null;
  @Column.Uuid() readonly owner!: string;
  @Column.Timestamp() readonly expiresAt!: Date;
}
