import { Check, Entity, Index } from 'typeorm';
import type { NetworkName } from '../../../platform/config/config.module.js';
import type { StakerStatus } from '../../../avalanche/platformvm/state/staker-status.js';
import { StakerColumns } from './staker.columns.js';
import { Owners } from '../../utxos/owners.js';
import * as Column from '../../../platform/database/columns.js';

/** A delegation to a validation. */
@Entity({ name: 'delegators' })
@Index('delegators_node_id_status_start_time_idx', ['nodeId', 'status', 'start', 'txId'])
@Index('delegators_status_start_time_idx', ['status', 'start', 'txId'])
@Index('delegators_validator_tx_id_idx', { synchronize: false }) // ['validatorTxId'], { where: "status = ANY (ARRAY['pending'::text, 'active'::text]
@Check('delegators_status', "status IN ('pending', 'active', 'completed', 'removed')")
export class DelegatorEntity extends StakerColumns {
  @Column.Hex() readonly validatorTxId!: string;
  @Column.Int() readonly shares!: number;
  /** The validator's part of the potential reward, which lists add up. */
  @Column.Uint64() readonly validatorPart!: bigint;
  @Column.Uint64() readonly paidReward!: bigint;
  @Column.Flag({ nullable: true }) readonly isRewarded!: boolean | null;
  @Column.Embedded(() => Owners) readonly rewardsOwner!: Owners;
}

/**
 * One row per delegation and address of its rewards' owner, with what the list filters and sorts by, which is written whenever the
 * delegation is.
 */
@Entity({ name: 'delegator_reward_addresses' })
@Index('delegator_reward_addresses_list_idx', { synchronize: false }) // ['address', 'status', 'start', 'txId']
export class DelegatorRewardAddress {
  @Column.Text({ key: true }) readonly network!: NetworkName;
  @Column.Hex({ key: true }) readonly txId!: string;
  @Column.Hex({ key: true }) readonly address!: string;
  @Column.Text() readonly status!: StakerStatus;
  @Column.SafeInteger({ name: 'startTime' }) readonly start!: number;
  @Column.Hex() readonly nodeId!: string;
}
