import type { EvmBlock, EvmLog } from '../../../avalanche/evm/blocks/block.js';
import { evmChainKey, type EvmChainRef } from '../../../platform/database/chains.js';
import type { Queryable, Transaction } from '../../../platform/database/database.js';
import type { HeightRange } from '../../engine/coverage/height-range.js';
import { columnNames, columnsWithout } from '../../../platform/database/entity-columns.js';
import { Table } from '../../../platform/database/table.js';
import { EvmLogEntity } from '../entities/evm-log.entities.js';
import { type FacetBatch, logFacet } from '../facets/facets.js';
import { type LogSet, LogSorter } from '../sources/logs/log-sets.js';
import { forgetProjections } from '../projections/projection.js';
import type { StoredLog, WatchedLog } from '../projections/watched-log.js';

/** Raw logs are never wrong, as long as the node was not: what is there stays. `seq` counts them as they come. */
const LOGS = new Table(EvmLogEntity, { without: ['seq'] });

const ROWS_AT_ONCE = 20_000;

const STORED_LOG = columnsWithout(EvmLogEntity, 'chainKey', 'logSet');

/** Ascending, so that their order of arrival within a batch is that of the chain. */
export async function insertLogs(
  transaction: Transaction,
  chain: EvmChainRef,
  { name: logSet }: LogSet,
  logs: readonly WatchedLog[],
): Promise<void> {
  await LOGS.insertMissing(
    transaction,
    evmChainKey(chain).toString(),
    logs.map((log) => ({ ...log, logSet })),
  );
}

/** Some of one set, or of all; whether there may be more. Where there were any, all projections of the chain's logs are rebuilt. */
export async function removeSomeLogs(
  transaction: Transaction,
  chain: EvmChainRef,
  logSet: string | undefined,
  { from, to }: HeightRange,
): Promise<boolean> {
  const removed = await transaction.execute({
    text: `DELETE FROM evm_logs WHERE ctid = ANY (ARRAY(
             SELECT ctid FROM evm_logs WHERE chain_key = $1 AND ($2::text IS NULL OR log_set = $2) AND height BETWEEN $3 AND $4
              LIMIT ${ROWS_AT_ONCE}))`,
    values: [evmChainKey(chain), logSet ?? null, from, to],
  });
  if (removed > 0) await forgetProjections(transaction, chain);
  return removed === ROWS_AT_ONCE;
}

/** Logs of some sets in the order in which they came, those behind `after`. */
export async function findLogs(
  queryable: Queryable,
  chain: EvmChainRef,
  { sets, after, limit }: { sets: readonly string[]; after: bigint; limit: number },
): Promise<StoredLog[]> {
  const rows = await queryable.query({
    text: `SELECT log.* FROM unnest($2::text[]) AS wanted (log_set)
             CROSS JOIN LATERAL (
               SELECT ${columnNames(STORED_LOG.columns)} FROM evm_logs
                WHERE chain_key = $1 AND evm_logs.log_set = wanted.log_set AND seq > $3 ORDER BY seq LIMIT $4
             ) AS log
            ORDER BY seq LIMIT $4`,
    values: [evmChainKey(chain), sets, after, limit],
  });
  return rows.map(STORED_LOG.read);
}

/** Of the last log of each of some sets that has come; a set of which none has come is left out. */
export async function findLastSeqs(
  queryable: Queryable,
  chain: EvmChainRef,
  sets: readonly string[],
): Promise<ReadonlyMap<string, bigint>> {
  const rows = await queryable.query<{ log_set: string; last: string }>({
    text: `SELECT wanted.log_set, last FROM unnest($2::text[]) AS wanted (log_set) CROSS JOIN LATERAL (
             SELECT max(seq) AS last FROM evm_logs WHERE chain_key = $1 AND evm_logs.log_set = wanted.log_set
           ) AS newest WHERE last IS NOT NULL`,
    values: [evmChainKey(chain), sets],
  });
  return new Map(rows.map(({ log_set: set, last }) => [set, BigInt(last)]));
}

/** Logs that nothing stands beside, as a batch of their facet. */
export function logBatch(logSet: LogSet, { from, to }: HeightRange, logs: readonly WatchedLog[]): FacetBatch {
  return { facet: logFacet(logSet), from, to, rowsPerBlock: 0, makeRows: () => new Map(), logs };
}

/** Of each set what blocks have, in ascending order without a gap. */
export function logBatches(sets: readonly LogSet[], blocks: readonly EvmBlock[]): FacetBatch[] {
  const [first, last] = [blocks[0], blocks.at(-1)];
  if (first === undefined || last === undefined) throw new RangeError('no blocks to write');
  const sorter = new LogSorter(sets);
  const bySet = new Map<LogSet, WatchedLog[]>(sets.map((set) => [set, []]));
  for (const block of blocks) {
    for (const transaction of block.transactions) {
      for (const [set, logs] of sorter.sort(transaction.logs)) {
        bySet.get(set)?.push(...logs.map((log) => toWatched(block, transaction, log)));
      }
    }
  }
  return sets.map((set) => logBatch(set, { from: first.height, to: last.height }, bySet.get(set) ?? []));
}

function toWatched(
  { height, timestampSeconds: blockTime }: EvmBlock,
  { index: txIndex, hash: txHash, fee }: EvmBlock['transactions'][number],
  { index: logIndex, address, topics, data }: EvmLog,
): WatchedLog {
  return { height, logIndex, txIndex, blockTime, txHash, address, topics, data, fee };
}
