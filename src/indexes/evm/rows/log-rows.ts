import type { EvmBlock } from '../../../avalanche/evm/blocks/block.js';
import type { Hex } from '../../../avalanche/evm/rpc/hex-values.js';
import { evmChainKey, type EvmChainRef } from '../../../platform/database/chains.js';
import type { Queryable, Transaction } from '../../../platform/database/database.js';
import type { HeightRange } from '../../engine/coverage/height-range.js';
import { column, Table } from '../../../platform/database/table.js';
import { type FacetBatch, logFacet } from '../facets/facets.js';
import { type LogSet, LogSorter } from '../sources/log-sets.js';
import { forgetProjections } from '../projections/projection.js';
import type { StoredLog, WatchedLog } from '../projections/watched-log.js';

interface LogOfSet extends WatchedLog {
  readonly logSet: string;
}

/** Raw logs are never wrong, as long as the node was not: what is there stays. */
const LOGS = new Table<LogOfSet>({
  name: 'evm_logs',
  scope: 'chain_key',
  key: ['log_set', 'height', 'log_index'],
  columns: [
    column('log_set', 'text', ({ logSet }) => logSet),
    column('height', 'bigint', ({ height }) => height),
    column('log_index', 'int', ({ logIndex }) => logIndex),
    column('tx_index', 'int', ({ txIndex }) => txIndex),
    column('block_time', 'bigint', ({ blockTime }) => blockTime),
    column('tx_hash', 'bytea', ({ txHash }) => txHash.slice(2)),
    column('address', 'bytea', ({ address }) => address.slice(2)),
    column('topics', 'bytea[]', ({ topics }) => topics.map((topic) => topic.slice(2))),
    column('data', 'bytea', ({ data }) => data.slice(2)),
    column('fee', 'numeric', ({ fee }) => fee),
  ],
});

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

/** All projections of the chain's logs are then rebuilt. */
export async function removeLogs(
  transaction: Transaction,
  chain: EvmChainRef,
  { name }: LogSet,
  { from, to }: HeightRange,
): Promise<void> {
  await transaction.execute({
    text: 'DELETE FROM evm_logs WHERE chain_key = $1 AND log_set = $2 AND height BETWEEN $3 AND $4',
    values: [evmChainKey(chain), name, from, to],
  });
  await forgetProjections(transaction, chain);
}

interface LogRow {
  readonly seq: string;
  readonly height: string;
  readonly log_index: number;
  readonly tx_index: number;
  readonly block_time: string;
  readonly tx_hash: Buffer;
  readonly address: Buffer;
  readonly topics: readonly Buffer[];
  readonly data: Buffer;
  readonly fee: string;
}

/** Logs of some sets in the order in which they came, those behind `after`. */
export async function findLogs(
  queryable: Queryable,
  chain: EvmChainRef,
  { sets, after, limit }: { sets: readonly string[]; after: bigint; limit: number },
): Promise<StoredLog[]> {
  const rows = await queryable.query<LogRow>({
    text: `SELECT log.* FROM unnest($2::text[]) AS wanted (log_set)
             CROSS JOIN LATERAL (
               SELECT seq, height, log_index, tx_index, block_time, tx_hash, address, topics, data, fee FROM evm_logs
                WHERE chain_key = $1 AND evm_logs.log_set = wanted.log_set AND seq > $3 ORDER BY seq LIMIT $4
             ) AS log
            ORDER BY seq LIMIT $4`,
    values: [evmChainKey(chain), sets, after, limit],
  });
  return rows.map((row) => ({
    seq: BigInt(row.seq),
    height: BigInt(row.height),
    logIndex: row.log_index,
    txIndex: row.tx_index,
    blockTime: Number(row.block_time),
    txHash: toHex(row.tx_hash),
    address: toHex(row.address),
    topics: row.topics.map(toHex),
    data: toHex(row.data),
    fee: BigInt(row.fee),
  }));
}

/** Of the last log of some sets that has come. */
export async function findLastSeq(
  queryable: Queryable,
  chain: EvmChainRef,
  sets: readonly string[],
): Promise<bigint | undefined> {
  const [row] = await queryable.query<{ last: string | null }>({
    text: `SELECT max(last) AS last FROM unnest($2::text[]) AS wanted (log_set) CROSS JOIN LATERAL (
             SELECT max(seq) AS last FROM evm_logs WHERE chain_key = $1 AND evm_logs.log_set = wanted.log_set
           ) AS newest`,
    values: [evmChainKey(chain), sets],
  });
  return row?.last == null ? undefined : BigInt(row.last);
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
      for (const { index: logIndex, address, topics, data } of transaction.logs) {
        for (const set of sorter.setsOf({ address, topics })) {
          bySet.get(set)?.push({
            height: block.height,
            logIndex,
            txIndex: transaction.index,
            blockTime: block.timestampSeconds,
            txHash: transaction.hash,
            address,
            topics,
            data,
            fee: transaction.fee,
          });
        }
      }
    }
  }
  return sets.map((set) => logBatch(set, { from: first.height, to: last.height }, bySet.get(set) ?? []));
}

function toHex(bytes: Buffer): Hex {
  return `0x${bytes.toString('hex')}`;
}
