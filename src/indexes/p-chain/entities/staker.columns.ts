import type { NetworkName } from '../../../platform/config/config.module.js';
import type { StakerStatus } from '../../../avalanche/platformvm/state/staker-status.js';
import type { TxType } from '../../../avalanche/platformvm/transaction.js';
import * as Column from '../../../platform/database/columns.js';

/** Of validators and delegators, as the state machine records them (records.ts). */
export abstract class StakerColumns {
  @Column.Text({ key: true }) readonly network!: NetworkName;
  @Column.Hex({ key: true }) readonly txId!: string;
  @Column.Hex() readonly subnetId!: string;
  @Column.Hex() readonly nodeId!: string;
  @Column.Text() readonly status!: StakerStatus;
  @Column.Uint64() readonly weight!: bigint;
  @Column.SafeInteger({ name: 'startTime' }) readonly start!: number;
  @Column.SafeInteger({ name: 'endTime' }) readonly end!: number;
  @Column.BigInteger() readonly blockHeight!: bigint;
  @Column.SafeInteger() readonly blockTime!: number;
  @Column.Uint64() readonly potentialReward!: bigint;
  @Column.Hex() readonly stakeAssetId!: string;
  @Column.Int() readonly outputCount!: number;
  @Column.Int() readonly stakeOutputCount!: number;
  @Column.Hex({ nullable: true }) readonly endTxId!: string | null;
  @Column.SafeInteger({ nullable: true }) readonly endedAt!: number | null;
  @Column.Text() readonly txType!: TxType;
}
