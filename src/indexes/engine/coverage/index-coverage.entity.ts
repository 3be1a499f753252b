import { Check, Entity } from 'typeorm';
import { BigInteger, Int, Text, Timestamp } from '../../../platform/database/columns.js';

/**
 * Heights of a chain that a facet has. `status`: complete; unavailable, for what no node had when it was last asked; dropped, for
 * what is older than what is kept. `version` is that of the decoder which made the rows.
 */
@Entity({ name: 'index_coverage' })
@Check('index_coverage_heights', 'from_height <= to_height')
@Check('index_coverage_status', "status IN ('complete', 'unavailable', 'dropped')")
export class IndexCoverageEntity {
  @Text({ key: true }) readonly network: string;
  @Text({ key: true }) readonly chain: string;
  @Text({ key: true }) readonly facet: string;
  @BigInteger({ key: true }) readonly fromHeight: bigint;
  @BigInteger() readonly toHeight: bigint;
  @Text() readonly status: 'complete' | 'unavailable' | 'dropped';
  @Int() readonly version: number;
  @Timestamp({ default: () => 'now()' }) readonly checkedAt: Date;
}
