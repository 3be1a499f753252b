import { Check, Entity } from 'typeorm';
import type { IndexState } from '../../../../workflows/contracts/index-chain.js';
import {
  BigInteger,
  Double,
  Hex,
  Jsonb,
  SafeInteger,
  Text,
  Timestamp,
} from '../../../platform/database/columns.js';

/**
 * How far the index of a chain has come: one row per chain, written in the transaction of the rows that it vouches for. `state` holds
 * what is no row of its own, amounts as decimal strings.
 */
@Entity({ name: 'index_checkpoints' })
export class IndexCheckpoint {
  @Text({ key: true }) readonly network: string;
  @Text({ key: true }) readonly chain: string;
  @BigInteger() readonly height: bigint;
  @Hex() readonly blockId: string;
  @SafeInteger() readonly blockTime: number;
  @Jsonb() readonly state: unknown;
  @Timestamp({ default: () => 'now()' }) readonly updatedAt: Date;
}

/** The state of an index as its worker reported it last; the higher version wins. */
@Entity({ name: 'index_progress' })
@Check('index_progress_state', "state IN ('running', 'paused', 'stopped', 'waiting')")
export class IndexProgressEntity {
  @Text({ key: true }) readonly network: string;
  @Text({ key: true }) readonly chain: string;
  @Text() readonly state: IndexState;
  @BigInteger({ nullable: true }) readonly height: bigint | null;
  @BigInteger({ nullable: true }) readonly tipHeight: bigint | null;
  @Double({ nullable: true }) readonly blocksPerSecond: number | null;
  @SafeInteger({ nullable: true }) readonly etaSeconds: number | null;
  @Text({ nullable: true }) readonly message: string | null;
  @BigInteger() readonly version: bigint;
  @Timestamp({ default: () => 'now()' }) readonly updatedAt: Date;
}
