import { Entity, Index } from 'typeorm';
import type { NetworkName } from '../../../platform/config/config.module.js';
import { Double, Hex, Int, Text } from '../../../platform/database/columns.js';

/** A node that ever validated, for the search by parts of node ids. */
@Entity({ name: 'nodes' })
@Index('nodes_node_id_text_idx', { synchronize: false }) // ['nodeIdText']
export class NodeEntity {
  @Text({ key: true }) readonly network: NetworkName;
  @Hex({ key: true }) readonly nodeId: string;
  @Text() readonly nodeIdText: string;
}

/**
 * What one hour's looks at the peers of a configured node showed of a validator's node. `observer`: host and port of the node that was
 * asked; `hour`: counted since 1970. Of `looks`, in how many it was connected, and benched on each chain of the primary network.
 */
@Entity({ name: 'node_observations' })
export class NodeObservation {
  @Text({ key: true }) readonly network: NetworkName;
  @Hex({ key: true }) readonly nodeId: string;
  @Text({ key: true }) readonly observer: string;
  @Int({ key: true }) readonly hour: number;
  @Int() readonly looks: number;
  @Int() readonly connected: number;
  @Int() readonly benchedP: number;
  @Int() readonly benchedX: number;
  @Int() readonly benchedC: number;
}

/** A node with observations. The percentages are those of the hours that are kept; the place is all there or all null. */
@Entity({ name: 'observed_nodes' })
export class ObservedNode {
  @Text({ key: true }) readonly network: NetworkName;
  @Hex({ key: true }) readonly nodeId: string;
  @Double() readonly reachabilityPercent: number;
  @Double() readonly benchedPPercent: number;
  @Double() readonly benchedXPercent: number;
  @Double() readonly benchedCPercent: number;
  @Text({ nullable: true }) readonly version: string | null;
  @Text({ nullable: true }) readonly city: string | null;
  @Text({ nullable: true }) readonly countryCode: string | null;
  @Double({ nullable: true }) readonly latitude: number | null;
  @Double({ nullable: true }) readonly longitude: number | null;
}
