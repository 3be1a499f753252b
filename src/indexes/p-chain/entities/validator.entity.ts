import { Check, Entity, Index } from 'typeorm';
import { StakerColumns } from './staker.columns.js';
import { Owners } from '../../utxos/owners.js';
import * as Column from '../../../platform/database/columns.js';

class Signer {
  @Column.Bytes({ nullable: true }) readonly publicKey!: Uint8Array;
  @Column.Bytes({ nullable: true }) readonly proofOfPossession!: Uint8Array;
}

/** Of validators that renew themselves (Helicon). */
class AutoRenewalColumns {
  @Column.SafeInteger({ nullable: true }) readonly nextPeriod!: number;
  @Column.Int({ nullable: true }) readonly autoCompoundShares!: number;
  @Column.Uint64({ nullable: true }) readonly accruedValidationRewards!: bigint;
  @Column.Uint64({ nullable: true }) readonly accruedDelegateeRewards!: bigint;
  @Column.Embedded(() => Owners) readonly authority!: Owners;
  @Column.Int({ nullable: true }) readonly cycleIndex!: number;
  @Column.Int({ nullable: true }) readonly earlierDelegatorCount!: number;
  @Column.Sum({ nullable: true }) readonly earlierDelegatedWeight!: bigint;
  @Column.Flag({ nullable: true }) readonly isAborted!: boolean;
}

/**
 * A validation of the primary network or a subnet. `delegationCapacity`: active and pending permissionless ones only.
 * `uptimePerformance` (percent): polled, active ones only. Lists walk one status at a time, in the order of the sort key and then the
 * transaction id, with and without a subnet in front; keys that rows may lack have partial indexes.
 */
@Entity({ name: 'validators' })
@Index('validators_node_id_status_block_height_idx', ['nodeId', 'status', 'blockHeight', 'txId'])
@Index('validators_status_block_height_idx', ['status', 'blockHeight', 'txId'])
@Index('validators_status_delegation_capacity_idx', ['status', 'delegationCapacity', 'txId'], {
  where: 'delegation_capacity IS NOT NULL',
})
@Index('validators_status_end_time_idx', ['status', 'end', 'txId'])
@Index('validators_status_shares_idx', ['status', 'shares', 'txId'], { where: 'shares IS NOT NULL' })
@Index('validators_status_tx_id_idx', ['status', 'txId'])
@Index('validators_status_uptime_performance_idx', ['status', 'uptimePerformance', 'txId'], {
  where: 'uptime_performance IS NOT NULL',
})
@Index('validators_subnet_id_status_block_height_idx', ['subnetId', 'status', 'blockHeight', 'txId'])
@Index(
  'validators_subnet_id_status_delegation_capacity_idx',
  ['subnetId', 'status', 'delegationCapacity', 'txId'],
  { where: 'delegation_capacity IS NOT NULL' },
)
@Index('validators_subnet_id_status_end_time_idx', ['subnetId', 'status', 'end', 'txId'])
@Index('validators_subnet_id_status_shares_idx', ['subnetId', 'status', 'shares', 'txId'], {
  where: 'shares IS NOT NULL',
})
@Index('validators_subnet_id_status_tx_id_idx', ['subnetId', 'status', 'txId'])
@Index(
  'validators_subnet_id_status_uptime_performance_idx',
  ['subnetId', 'status', 'uptimePerformance', 'txId'],
  { where: 'uptime_performance IS NOT NULL' },
)
@Check('validators_status', "status IN ('pending', 'active', 'completed', 'removed')")
export class ValidatorEntity extends StakerColumns {
  @Column.Flag() readonly isPermissioned!: boolean;
  @Column.Int({ nullable: true }) readonly shares!: number | null;
  @Column.Uint64() readonly delegateeReward!: bigint;
  @Column.Sum() readonly paidValidationReward!: bigint;
  @Column.Sum() readonly paidDelegationReward!: bigint;
  @Column.Sum() readonly delegatedWeight!: bigint;
  @Column.Int() readonly delegatorCount!: number;
  @Column.Sum() readonly totalDelegatedWeight!: bigint;
  @Column.Int() readonly totalDelegatorCount!: number;
  @Column.Text() readonly nodeIdText!: string;
  @Column.Uint64({ nullable: true }) readonly delegationCapacity!: bigint | null;
  @Column.Double({ nullable: true }) readonly uptimePerformance!: number | null;
  @Column.Embedded(() => Signer, { nullable: true }) readonly signer!: Signer | null;
  @Column.Embedded(() => Owners, { nullable: true }) readonly validationRewardsOwner!: Owners | null;
  @Column.Embedded(() => Owners, { nullable: true }) readonly delegationRewardsOwner!: Owners | null;
  @Column.Embedded(() => AutoRenewalColumns, { nullable: true })
  readonly autoRenewal!: AutoRenewalColumns | null;
}
