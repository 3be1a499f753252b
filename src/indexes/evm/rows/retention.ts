import type { Queryable, Transaction } from '../../../platform/database/database.js';
import {
  findCoverageAround,
  putCoverage,
  removeCoverage,
} from '../../engine/coverage/coverage.repository.js';
import type { IndexPlace } from '../../engine/following/index-place.js';
import { BASE, TRACES } from '../facets/facets.js';

/** Watched logs, and imports and exports, are few, and have no partitions: they are kept. */
const OF_BLOCKS = `facet IN ('${BASE.name}', '${TRACES.name}')`;

/**
 * Marks a chain's heights below an edge as dropped, so that no facet fills them in again. Above it nothing is, which is how they come back
 * when more is to be kept.
 */
export async function isTrimmed(
  queryable: Queryable,
  { network, chain }: IndexPlace,
  edge: bigint,
): Promise<boolean> {
  const [row] = await queryable.query<{ is_trimmed: boolean }>({
    text: `SELECT NOT COALESCE(bool_or(CASE WHEN status = 'dropped' THEN to_height >= $3 ELSE from_height < $3 END), false)
             AND ($3 = 0 OR COALESCE(bool_or(facet = $4 AND status = 'dropped' AND to_height = $3 - 1), false)) AS is_trimmed
             FROM index_coverage WHERE network = $1 AND chain = $2 AND ${OF_BLOCKS}`,
    values: [network, chain, edge, BASE.name],
  });
  return row?.is_trimmed ?? true;
}

/** The highest block that is dropped, or is to be; -1 where none is. */
export async function findDropped(queryable: Queryable, { network, chain }: IndexPlace): Promise<bigint> {
  const [row] = await queryable.query<{ dropped: string | null }>({
    text: `SELECT max(to_height) AS dropped FROM index_coverage WHERE network = $1 AND chain = $2 AND facet = $3 AND status = 'dropped'`,
    values: [network, chain, BASE.name],
  });
  return BigInt(row?.dropped ?? -1);
}

export async function trimCoverage(transaction: Transaction, place: IndexPlace, edge: bigint): Promise<void> {
  const { network, chain } = place;
  const known = await transaction.query<{ facet: string; dropped: string | null }>({
    text: `SELECT facet, max(to_height) FILTER (WHERE status = 'dropped') AS dropped FROM index_coverage
            WHERE network = $1 AND chain = $2 AND ${OF_BLOCKS} GROUP BY facet`,
    values: [network, chain],
  });
  for (const { facet, dropped } of known) {
    if (dropped !== null && BigInt(dropped) >= edge) {
      await removeCoverage(transaction, place, facet, { from: edge, to: BigInt(dropped) });
    }
    if (edge === 0n) continue;
    const range = { from: 0n, to: edge - 1n };
    const around = await findCoverageAround(transaction, place, facet, range);
    const mark = { ...range, status: 'dropped', version: 0, checkedAt: Date.now() } as const;
    await putCoverage(transaction, place, facet, around, [mark]);
  }
}
