import { Entity } from 'typeorm';
import type { NetworkName } from '../../../platform/config/config.module.js';
import * as Column from '../../../platform/database/columns.js';

/**
 * Observations of a subnet's validator by processes with connections. `since`: how long it has been connected, or not; `seenAt`: when a
 * process last was connected to it. `signedAt`: of a signature that was verified, `answeredAt` of any. `isOwnRefusal`: others signed
 * what it refused, or it refuses everything. Unlogged: it is observed again.
 */
@Entity({ name: 'signer_observations' })
export class SignerObservation {
  @Column.Text({ key: true }) readonly network!: NetworkName;
  @Column.Hex({ key: true }) readonly subnetId!: string;
  @Column.Hex({ key: true }) readonly nodeId!: string;
  @Column.Flag() readonly connected!: boolean;
  @Column.Timestamp() readonly since!: Date;
  @Column.Timestamp({ nullable: true }) readonly seenAt!: Date | null;
  /** Why it is not connected. */
  @Column.Text() readonly connection!: string;
  @Column.Text({ nullable: true }) readonly version!: string | null;
  @Column.Texts() readonly addresses!: readonly string[];
  @Column.Timestamp({ nullable: true }) readonly answeredAt!: Date | null;
  @Column.Int({ nullable: true }) readonly latencyMs!: number | null;
  @Column.Timestamp({ nullable: true }) readonly signedAt!: Date | null;
  @Column.Timestamp({ nullable: true }) readonly refusedAt!: Date | null;
  @Column.Text({ nullable: true }) readonly refusal!: string | null;
  @Column.Flag({ nullable: true }) readonly isOwnRefusal!: boolean | null;
  @Column.Timestamp({ nullable: true }) readonly wrongKeyAt!: Date | null;
  @Column.Timestamp({ default: () => 'now()' }) readonly updatedAt!: Date;
}
