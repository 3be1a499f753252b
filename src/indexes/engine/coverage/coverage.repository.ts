import { Injectable } from '@nestjs/common';
import { Database, type Queryable, type Transaction } from '../../../platform/database/database.js';
import { type CoveredRange, putRange } from './coverage.js';
import { type HeightRange, subtract } from './height-range.js';
import type { IndexPlace } from '../following/index-place.js';

export type CoverageByFacet = ReadonlyMap<string, readonly CoveredRange[]>;

interface CoverageRow {
  facet: string;
  from_height: string;
  to_height: string;
  status: CoveredRange['status'];
  version: number;
  checked_at: Date;
}

const COLUMNS = 'facet, from_height, to_height, status, version, checked_at';

/** Which heights of a chain are there, facet by facet; nothing in the tables beyond it may be believed to be complete. */
@Injectable()
export class CoverageRepository {
  constructor(private readonly database: Database) {}

  /** Ascending; a facet of which nothing is known has no entry. */
  async find({ network, chain }: IndexPlace): Promise<CoverageByFacet> {
    const rows = await this.database.query<CoverageRow>({
      text: `SELECT ${COLUMNS} FROM index_coverage WHERE network = $1 AND chain = $2 ORDER BY facet, from_height`,
      values: [network, chain],
      onePlan: true,
    });
    const byFacet = new Map<string, CoveredRange[]>();
    for (const row of rows) byFacet.set(row.facet, [...(byFacet.get(row.facet) ?? []), toRange(row)]);
    return byFacet;
  }
}

/** Coverage of a stretch and right beside it, ascending. */
export async function findCoverageAround(
  queryable: Queryable,
  { network, chain }: IndexPlace,
  facet: string,
  { from, to }: HeightRange,
): Promise<CoveredRange[]> {
  const rows = await queryable.query<CoverageRow>({
    text: `SELECT ${COLUMNS} FROM index_coverage
            WHERE network = $1 AND chain = $2 AND facet = $3 AND from_height <= $4 AND to_height >= $5 ORDER BY from_height`,
    values: [network, chain, facet, to + 1n, from - 1n],
  });
  return rows.map(toRange);
}

/** Replaces the coverage of these heights. `around` is the result of `findCoverageAround`. */
export async function putCoverage(
  transaction: Transaction,
  place: IndexPlace,
  facet: string,
  around: readonly CoveredRange[],
  added: readonly CoveredRange[],
): Promise<void> {
  await replace(transaction, place, facet, around, added.reduce(putRange, around));
}

/** Forgets the coverage of the heights. */
export async function removeCoverage(
  transaction: Transaction,
  place: IndexPlace,
  facet: string,
  range: HeightRange,
): Promise<void> {
  const around = await findCoverageAround(transaction, place, facet, range);
  const left = around.flatMap((known) => subtract(known, [range]).map((rest) => ({ ...known, ...rest })));
  await replace(transaction, place, facet, around, left);
}

async function replace(
  transaction: Transaction,
  { network, chain }: IndexPlace,
  facet: string,
  before: readonly CoveredRange[],
  after: readonly CoveredRange[],
): Promise<void> {
  const starts = new Set(after.map(({ from }) => from));
  const gone = before.filter(({ from }) => !starts.has(from));
  if (gone.length > 0) {
    await transaction.execute({
      text: 'DELETE FROM index_coverage WHERE network = $1 AND chain = $2 AND facet = $3 AND from_height = ANY ($4::bigint[])',
      values: [network, chain, facet, gone.map(({ from }) => from)],
    });
  }
  // Most often a range that has grown: the row stays in its place.
  for (const { from, to, status, version, checkedAt } of after) {
    await transaction.execute({
      text: `INSERT INTO index_coverage (network, chain, ${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
             ON CONFLICT (network, chain, facet, from_height) DO UPDATE SET to_height = EXCLUDED.to_height,
               status = EXCLUDED.status, version = EXCLUDED.version, checked_at = EXCLUDED.checked_at`,
      values: [network, chain, facet, from, to, status, version, new Date(checkedAt)],
    });
  }
}

function toRange({ from_height, to_height, status, version, checked_at }: CoverageRow): CoveredRange {
  return {
    from: BigInt(from_height),
    to: BigInt(to_height),
    status,
    version,
    checkedAt: checked_at.getTime(),
  };
}
