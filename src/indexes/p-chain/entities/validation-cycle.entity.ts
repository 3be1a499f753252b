import { Check, Entity, Index } from 'typeorm';
import type { CycleOutcome } from '../../../avalanche/platformvm/state/records.js';
import type { NetworkName } from '../../../platform/config/config.module.js';
import * as Column from '../../../platform/database/columns.js';

/** A settled cycle of a validation that renews itself, as the state machine records it (records.ts). */
@Entity({ name: 'validation_cycles' })
@Index('validation_cycles_node_id_start_time_idx', ['nodeId', 'start', 'txId'])
@Index('validation_cycles_reward_tx_id_idx', ['rewardTxId'])
@Check('validation_cycles_outcome', "outcome IN ('renewed', 'exited', 'aborted')")
export class ValidationCycle {
  @Column.Text({ key: true }) readonly network!: NetworkName;
  @Column.Hex({ key: true }) readonly txId!: string;
  @Column.Int({ key: true }) readonly cycleIndex!: number;
  @Column.Hex() readonly nodeId!: string;
  @Column.Hex() readonly rewardTxId!: string;
  @Column.SafeInteger({ name: 'startTime' }) readonly start!: number;
  @Column.SafeInteger({ name: 'endTime' }) readonly end!: number;
  @Column.Uint64() readonly weight!: bigint;
  @Column.Int() readonly autoCompoundShares!: number;
  @Column.Text() readonly outcome!: CycleOutcome;
  @Column.Uint64() readonly withdrawnValidationReward!: bigint;
  @Column.Uint64() readonly compoundedValidationReward!: bigint;
  @Column.Uint64() readonly withdrawnDelegateeReward!: bigint;
  @Column.Uint64() readonly compoundedDelegateeReward!: bigint;
  @Column.Int() readonly delegatorCount!: number;
  @Column.Sum() readonly delegatedWeight!: bigint;
}
