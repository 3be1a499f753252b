import { evmChainName } from '../../../platform/database/chains.js';
import type { Queryable } from '../../../platform/database/database.js';
import type { ChainMark } from './chain-changes.js';

/** Every batch changes the checkpoint or the coverage of its facets, and so does whoever forgets rows. */
export async function findChangedMarks(
  queryable: Queryable,
  known: readonly ChainMark[],
): Promise<readonly ChainMark[]> {
  const rows = await queryable.query<{ number: number; mark: string }>({
    text: `SELECT number::int - 1 AS number, md5(concat(checkpoint.mark, coverage.mark)) AS mark
             FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS wanted (network, chain, mark, number)
             LEFT JOIN LATERAL (
               SELECT concat_ws(' ', height, block_id, state) AS mark FROM index_checkpoints c
                WHERE c.network = wanted.network AND c.chain = wanted.chain
             ) checkpoint ON true
             CROSS JOIN LATERAL (
               SELECT string_agg(concat_ws(' ', facet, from_height, to_height, status, version, checked_at), ',' ORDER BY facet, from_height) AS mark
                 FROM index_coverage c WHERE c.network = wanted.network AND c.chain = wanted.chain
             ) coverage
            WHERE md5(concat(checkpoint.mark, coverage.mark)) <> wanted.mark`,
    values: [
      known.map(({ chain }) => chain.network),
      known.map(({ chain }) => evmChainName(chain.chainId)),
      known.map(({ mark }) => mark),
    ],
    onePlan: true,
  });
  return rows.flatMap(({ number, mark }) => {
    const chain = known[number]?.chain;
    return chain === undefined ? [] : [{ chain, mark }];
  });
}
