import { Entity, Index } from 'typeorm';
import type { NetworkName } from '../../../platform/config/config.module.js';
import * as Column from '../../../platform/database/columns.js';

/**
 * Weight and key of a member of a subnet's validator set: from the state after block `fromHeight` on, and below `untilHeight`, which is
 * `STILL` for what is so at the index's tip. Members are nodes with their delegations, and validations of L1s.
 */
@Entity({ name: 'validator_set_members' })
@Index('validator_set_members_until_height_idx', ['subnetId', 'untilHeight'])
@Index('validator_set_members_begun_idx', ['fromHeight'])
@Index('validator_set_members_ended_idx', ['untilHeight'])
export class ValidatorSetMember {
  @Column.Text({ key: true }) readonly network!: NetworkName;
  @Column.Hex({ key: true }) readonly subnetId!: string;
  @Column.Hex({ key: true }) readonly memberId!: string;
  @Column.BigInteger({ key: true }) readonly fromHeight!: bigint;
  @Column.BigInteger() readonly untilHeight!: bigint;
  @Column.Hex({ nullable: true }) readonly nodeId!: string | null;
  @Column.Bytes({ nullable: true }) readonly publicKey!: Uint8Array | null;
  @Column.Uint64() readonly weight!: bigint;
}

/** Above every height. */
export const STILL = 2n ** 63n - 1n;
