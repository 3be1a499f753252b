import { Check, Entity } from 'typeorm';
import * as Column from '../../../platform/database/columns.js';

/**
 * Heights of a chain that a facet has. `status`: complete; unavailable, for what no node had when it was last asked; dropped, for
 * what is older than what is kept. `version` is that of the decoder which made the rows.
 */
@Entity({ name: 'index_coverage' })
@Check('index_coverage_heights', 'from_height <= to_height')
@Check('index_coverage_status', "status IN ('complete', 'unavailable', 'dropped')")
export class IndexCoverageEntity {
  @Column.Text({ key: true }) readonly network!: string;
  @Column.Text({ key: true }) readonly chain!: string;
  @Column.Text({ key: true }) readonly facet!: string;
  @Column.BigInteger({ key: true }) readonly fromHeight!: bigint;
  @Column.BigInteger() readonly toHeight!: bigint;
  @Column.Text() readonly status!: 'complete' | 'unavailable' | 'dropped';
  @Column.Int() readonly version!: number;
  @Column.Timestamp({ default: () => 'now()' }) readonly checkedAt!: Date;
}
