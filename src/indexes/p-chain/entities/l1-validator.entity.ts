import { Entity, Index } from 'typeorm';
import type { NetworkName } from '../../../platform/config/config.module.js';
import * as Column from '../../../platform/database/columns.js';

/** An owner without a lock time. */
class PChainOwnerColumns {
  @Column.Int() readonly threshold!: number;
  @Column.Hexes() readonly addresses!: readonly string[];
}

/** A validator of an L1; weight zero: removed. */
@Entity({ name: 'l1_validators' })
@Index('l1_validators_subnet_id_idx', { synchronize: false }) // ['subnetId']
@Index('l1_validators_active_idx', ['start', 'validationId'], {
  where: 'weight > 0 AND end_accumulated_fee > 0',
})
@Index('l1_validators_node_id_start_time_idx', ['nodeId', 'start', 'validationId'])
@Index('l1_validators_start_time_idx', ['start', 'validationId'])
@Index('l1_validators_subnet_id_start_time_idx', ['subnetId', 'start', 'validationId'])
export class L1ValidatorEntity {
  @Column.Text({ key: true }) readonly network!: NetworkName;
  @Column.Hex({ key: true }) readonly validationId!: string;
  @Column.Hex() readonly subnetId!: string;
  @Column.Hex() readonly nodeId!: string;
  @Column.Bytes() readonly publicKey!: Uint8Array;
  @Column.Bytes() readonly proofOfPossession!: Uint8Array;
  @Column.SafeInteger({ name: 'startTime' }) readonly start!: number;
  @Column.Uint64() readonly weight!: bigint;
  @Column.Uint64() readonly minNonce!: bigint;
  @Column.Uint64() readonly endAccumulatedFee!: bigint;
  @Column.Hex() readonly txId!: string;
  @Column.Embedded(() => PChainOwnerColumns) readonly remainingBalanceOwner!: PChainOwnerColumns;
  @Column.Embedded(() => PChainOwnerColumns) readonly deactivationOwner!: PChainOwnerColumns;
}
