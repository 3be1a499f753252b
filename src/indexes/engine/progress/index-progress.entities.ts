import { Check, Entity } from 'typeorm';
import type { IndexState } from '../../../../workflows/contracts/index-chain.js';
import * as Column from '../../../platform/database/columns.js';

/**
 * How far the index of a chain has come: one row per chain, written in the transaction of the rows that it vouches for. `state` holds
 * what is no row of its own, amounts as decimal strings.
 */
@Entity({ name: 'index_checkpoints' })
export class IndexCheckpoint {
  @Column.Text({ key: true }) readonly network!: string;
  @Column.Text({ key: true }) readonly chain!: string;
  @Column.BigInteger() readonly height!: bigint;
  @Column.Hex() readonly blockId!: string;
  @Column.SafeInteger() readonly blockTime!: number;
  @Column.Jsonb() readonly state: unknown;
  @Column.Timestamp({ default: () => 'now()' }) readonly updatedAt!: Date;
}

/**
 * The state of an index as its worker reported it last; the higher version wins. `tipSeenAt`: when it last ran, and so had the tip from a
 * node; who waits for nodes reports, too.
 */
@Entity({ name: 'index_progress' })
@Check('index_progress_state', "state IN ('running', 'paused', 'stopped', 'waiting')")
export class IndexProgressEntity {
  @Column.Text({ key: true }) readonly network!: string;
  @Column.Text({ key: true }) readonly chain!: string;
  @Column.Text() readonly state!: IndexState;
  @Column.BigInteger({ nullable: true }) readonly height!: bigint | null;
  @Column.BigInteger({ nullable: true }) readonly tipHeight!: bigint | null;
  @Column.Double({ nullable: true }) readonly blocksPerSecond!: number | null;
  @Column.SafeInteger({ nullable: true }) readonly etaSeconds!: number | null;
  @Column.Text({ nullable: true }) readonly source!: string | null;
  @Column.Text({ nullable: true }) readonly message!: string | null;
  @Column.BigInteger() readonly version!: bigint;
  @Column.Timestamp({ default: () => 'now()' }) readonly updatedAt!: Date;
  @Column.Timestamp({ default: () => 'now()' }) readonly tipSeenAt!: Date;
}
