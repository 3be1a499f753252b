import { Entity } from 'typeorm';
import * as Column from '../../platform/database/columns.js';

/** A node's answer for an account's state after a block, kept until the export ends: nothing is asked twice. */
@Entity({ name: 'export_states' })
export class ExportStateEntity {
  @Column.Uuid({ key: true }) readonly operationId!: string;
  @Column.BigInteger({ key: true }) readonly chainKey!: bigint;
  @Column.EvmHex({ key: true }) readonly address!: `0x${string}`;
  @Column.Flag({ key: true }) readonly isNonce!: boolean;
  @Column.BigInteger({ key: true }) readonly height!: bigint;
  @Column.Uint256() readonly value!: bigint;
}

/** Blocks whose logs of tokens name one of an export's accounts, of the heights above `fromHeight` that one request has searched. */
@Entity({ name: 'export_log_windows' })
export class ExportLogWindowEntity {
  @Column.Uuid({ key: true }) readonly operationId!: string;
  @Column.BigInteger({ key: true }) readonly chainKey!: bigint;
  @Column.BigInteger({ key: true }) readonly fromHeight!: bigint;
  @Column.BigInteger() readonly toHeight!: bigint;
  @Column.SafeIntegers() readonly heights!: number[];
}
