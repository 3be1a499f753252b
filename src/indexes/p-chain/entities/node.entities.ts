import { Entity, Index } from 'typeorm';
import type { NetworkName } from '../../../platform/config/config.module.js';
import * as Column from '../../../platform/database/columns.js';

/** A node that ever validated, for the search by parts of node ids. */
@Entity({ name: 'nodes' })
@Index('nodes_node_id_text_idx', { synchronize: false }) // ['nodeIdText']
export class NodeEntity {
  @Column.Text({ key: true }) readonly network!: NetworkName;
  @Column.Hex({ key: true }) readonly nodeId!: string;
  @Column.Text() readonly nodeIdText!: string;
}

/**
 * One hour's observations of a validator's node among the peers of a configured node. `observer`: host and port of the node that was asked;
 * `hour`: counted since 1970. Of `looks`, in how many it was connected, and benched on each chain of the primary network.
 */
@Entity({ name: 'node_observations' })
export class NodeObservation {
  @Column.Text({ key: true }) readonly network!: NetworkName;
  @Column.Hex({ key: true }) readonly nodeId!: string;
  @Column.Text({ key: true }) readonly observer!: string;
  @Column.Int({ key: true }) readonly hour!: number;
  @Column.Int() readonly looks!: number;
  @Column.Int() readonly connected!: number;
  @Column.Int() readonly benchedP!: number;
  @Column.Int() readonly benchedX!: number;
  @Column.Int() readonly benchedC!: number;
}

/** A node with observations. The percentages are those of the hours that are kept; the place is all there or all null. */
@Entity({ name: 'observed_nodes' })
export class ObservedNode {
  @Column.Text({ key: true }) readonly network!: NetworkName;
  @Column.Hex({ key: true }) readonly nodeId!: string;
  @Column.Double() readonly reachabilityPercent!: number;
  @Column.Double() readonly benchedPPercent!: number;
  @Column.Double() readonly benchedXPercent!: number;
  @Column.Double() readonly benchedCPercent!: number;
  @Column.Text({ nullable: true }) readonly version!: string | null;
  @Column.Text({ nullable: true }) readonly city!: string | null;
  @Column.Text({ nullable: true }) readonly countryCode!: string | null;
  @Column.Double({ nullable: true }) readonly latitude!: number | null;
  @Column.Double({ nullable: true }) readonly longitude!: number | null;
}
