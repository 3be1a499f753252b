import { Entity, Index } from 'typeorm';
import * as Column from '../../../platform/database/columns.js';

/**
 * A log of a watched contract. Few, kept also where a chain's blocks are not, and read in the order in which they came (`seq`): no
 * partitions then. `fee`: what the log's transaction paid for its gas, in the smallest unit of the native asset.
 */
@Entity({ name: 'evm_logs' })
@Index('evm_logs_seq_idx', ['chainKey', 'logSet', 'seq'])
export class EvmLogEntity {
  @Column.BigInteger({ key: true }) readonly chainKey!: bigint;
  @Column.Text({ key: true }) readonly logSet!: string;
  @Column.BigInteger({ key: true }) readonly height!: bigint;
  @Column.Int({ key: true }) readonly logIndex!: number;
  @Column.Int() readonly txIndex!: number;
  @Column.SafeInteger() readonly blockTime!: number;
  @Column.EvmHex() readonly txHash!: `0x${string}`;
  @Column.EvmHex() readonly address!: `0x${string}`;
  @Column.EvmHexes() readonly topics!: readonly `0x${string}`[];
  @Column.EvmHex() readonly data!: `0x${string}`;
  @Column.Uint256() readonly fee!: bigint;
  @Column.BigInteger({ generated: 'identity' }) readonly seq!: bigint;
}

/** How far a projection of the watched logs has come; `seq` is that of the last log that was put in. */
@Entity({ name: 'projection_checkpoints' })
export class ProjectionCheckpoint {
  @Column.BigInteger({ key: true }) readonly chainKey!: bigint;
  @Column.Text({ key: true }) readonly projection!: string;
  @Column.Int() readonly version!: number;
  @Column.BigInteger() readonly seq!: bigint;
}
