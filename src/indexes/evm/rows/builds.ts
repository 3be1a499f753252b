import { least } from '../../../avalanche/bigints.js';
import { Injectable } from '@nestjs/common';
import type { TokenMetadata } from '../../../avalanche/evm/transfers/token-metadata.js';
import { evmBytesOf, type Hash } from '../../../avalanche/evm/rpc/hex-values.js';
import { EvmError } from '../../../avalanche/evm/evm.error.js';
import { evmChainKey, type EvmChainRef } from '../../../platform/database/chains.js';
import {
  Database,
  type Queryable,
  type Statement,
  type Transaction,
} from '../../../platform/database/database.js';
import { columnNames, columnsWithout } from '../../../platform/database/entity-columns.js';
import { clip, type HeightRange, includes, subtract } from '../../engine/coverage/height-range.js';
import { IndexError } from '../../engine/following/index.error.js';
import { EvmBuildEntity } from '../entities/evm-build.entity.js';
import type { BlockRef } from '../facets/checkpoint.js';
import { BASE, type FacetBatch } from '../facets/facets.js';
import type { CopiedTable, EvmTable } from './evm-tables.js';
import { copyRows } from './copy-rows.js';
import { makeIndexes } from './partition-indexes.js';
import {
  attachPartition,
  EvmPartitions,
  findLeaves,
  findPartitions,
  lockPartitions,
  makeOtherPartitions,
} from './partitions.js';
import { TOKENS, toTokenRows } from './token-rows.js';

/** A worker that has not written a batch for so long has died: another worker goes on where it was. */
const CLAIM_SECONDS = 60;

const TABLES = BASE.tables;

/** When it expires is for Postgres to know. */
const BUILD = columnsWithout(EvmBuildEntity, 'expiresAt');

const NOT_WAITING = 'SET LOCAL synchronous_commit = off';
const MEMORY = "SET LOCAL maintenance_work_mem = '128MB'";
/** Of rows that are only found by heights and addresses, a tenth of the usual sample is enough, and is read in a tenth of the time. */
const SAMPLE = 'SET LOCAL default_statistics_target = 10';

export type Build = Omit<EvmBuildEntity, 'expiresAt'>;

/** A claim is made among these: heights that are missing, and partitions whose rows are to be made again. */
export interface OpenHistory {
  readonly missing: readonly HeightRange[];
  readonly outdated: readonly HeightRange[];
}

/** One batch, and how its highest block is proved: by what the block above it names as its parent, where that is known. */
export interface BuiltBatch {
  readonly facet: FacetBatch;
  readonly tokens: readonly TokenMetadata[];
  readonly topHash: Hash;
  readonly parentHash: Hash;
  readonly expectedTop: Hash | undefined;
}

/**
 * Stretches of history that workers make beside the tables, each as wide as a partition: detached tables are filled with COPY, indexed
 * when they are full, and attached. Until then nobody sees them, and nobody waits for them.
 */
@Injectable()
export class EvmBuilds {
  constructor(
    private readonly database: Database,
    private readonly partitions: EvmPartitions,
  ) {}

  /**
   * The stretch that a worker goes on with: its own, one whose worker died, or a new one, the newest first; undefined when others
   * work on all there is. Partitions that exist are made again as a whole.
   */
  async claim(chain: EvmChainRef, owner: string, open: OpenHistory): Promise<Build | undefined> {
    return this.database.transaction(async (transaction) => {
      await lockPartitions(transaction, chain);
      const builds = await findBuilds(transaction, chain);
      const free = await findFree(transaction, chain, owner);
      const left = builds.findLast((build) => free.has(build.id) && !waitsForAbove(build, open));
      if (left === undefined) return this.begin(transaction, chain, owner, open, builds);
      if (left.version === BASE.version) return takeOver(transaction, left, owner);
      await discard(transaction, left);
      return undefined;
    });
  }

  /** Leaves what is unfinished to whoever comes next. */
  async release(chain: EvmChainRef, owner: string): Promise<void> {
    await this.database.execute({
      text: `UPDATE evm_builds SET expires_at = now() - interval '1 second' WHERE chain_key = $1 AND owner = $2`,
      values: [evmChainKey(chain), owner],
    });
  }

  /** How many heights are made and not attached yet. */
  async countBuilt(chain: EvmChainRef): Promise<bigint> {
    const [row] = await this.database.query<{ built: string | null }>({
      text: 'SELECT sum(top_height - next_height) AS built FROM evm_builds WHERE chain_key = $1',
      values: [evmChainKey(chain)],
    });
    return BigInt(row?.built ?? 0);
  }

  /** A block that is made and not attached yet. */
  async findBlock(build: Build, height: bigint): Promise<BlockRef | undefined> {
    const [row] = await this.database.query<{ hash: Buffer }>({
      text: `SELECT hash FROM ${tableOf(build, 'evm_blocks')} WHERE chain_key = $1 AND height = $2`,
      values: [build.chainKey, height],
    });
    return row && { height, hash: `0x${row.hash.toString('hex')}` };
  }

  /** Returns the build as it is then. Throws OTHER_WRITER; EvmError WRONG_PARENT when the block above names another one. */
  async write(build: Build, { facet, tokens, topHash, parentHash, expectedTop }: BuiltBatch): Promise<Build> {
    return this.database.transaction(async (transaction) => {
      await transaction.execute({ text: NOT_WAITING, values: [] });
      const [row] = await transaction.query({
        text: `UPDATE evm_builds SET next_height = $3, parent_hash = $4, top_hash = COALESCE(top_hash, $5),
                 expected_top = COALESCE(expected_top, CASE WHEN top_height = $7 THEN $6::bytea END), expires_at = ${EXPIRY}
                WHERE id = $1 AND owner = $2 AND next_height = $7
               RETURNING ${columnNames(BUILD.columns)}`,
        values: [
          build.id,
          build.owner,
          facet.from - 1n,
          evmBytesOf(parentHash),
          evmBytesOf(topHash),
          expectedTop === undefined ? null : evmBytesOf(expectedTop),
          facet.to,
        ],
      });
      if (row === undefined) throw taken(build);
      const written = BUILD.read(row);
      if (written.expectedTop !== null && written.expectedTop !== written.topHash) {
        const message = `block ${build.topHeight} is ${written.topHash}, the block above it follows ${written.expectedTop}`;
        throw new EvmError('WRONG_PARENT', message);
      }
      // Not before: while the first statements are under way, the next blocks are asked for.
      const rows = facet.makeRows(() => true);
      for (const [table, text] of rows) await copyRows(transaction, table, text, tableOf(build, table));
      const scope = build.chainKey.toString();
      await TOKENS.insertMissing(transaction, scope, toTokenRows(tokens));
      return written;
    });
  }

  /** The heights for which there are tables, ascending. */
  findPartitions(chain: EvmChainRef): Promise<HeightRange[]> {
    return findPartitions(this.database, chain);
  }

  /** Goes on at this height: those above it are not to be made, or no node has them. Throws OTHER_WRITER. */
  async moveTo(build: Build, height: bigint): Promise<void> {
    const moved = await this.database.execute({
      text: `UPDATE evm_builds SET next_height = $3, expires_at = ${EXPIRY},
               top_height = CASE WHEN top_hash IS NULL THEN $3 ELSE top_height END
              WHERE id = $1 AND owner = $2`,
      values: [build.id, build.owner, height],
    });
    if (moved !== 1) throw taken(build);
  }

  /** Lets one end: its tables go. */
  async discard(build: Build): Promise<void> {
    await this.database.transaction((transaction) => discard(transaction, build));
  }

  /**
   * Makes it fit to be attached: what stays of a partition that is replaced is copied, then come indexes and statistics. `height`
   * is that of the newest block on record. Who dies in between begins anew. Throws OTHER_WRITER.
   */
  async finish(chain: EvmChainRef, build: Build, height: bigint): Promise<void> {
    if (build.readyTo !== null) return;
    const leaves = await this.leavesOf(this.database, chain, build);
    await this.database.transaction(
      async (transaction) => {
        await transaction.execute({ text: `${NOT_WAITING}; ${MEMORY}; ${SAMPLE}`, values: [] });
        await hold(transaction, build);
        const readyTo = least(height, build.toHeight);
        const own = { text: `SELECT height FROM ${tableOf(build, 'evm_blocks')}`, values: [] };
        const made = await findStretches(transaction, own);
        const rest = subtract({ from: build.fromHeight, to: readyTo }, made);
        await copyMissing(transaction, build, leaves, rest);
        for (const table of TABLES) {
          const name = tableOf(build, table);
          await makeIndexes(transaction, table, name);
          await transaction.execute({ text: `ANALYZE ${name}`, values: [] });
        }
        await transaction.execute({
          text: `UPDATE evm_builds SET ready_to = $2, made = $3, expires_at = ${EXPIRY} WHERE id = $1`,
          values: [build.id, readyTo, JSON.stringify(made.map(({ from, to }) => [`${from}`, `${to}`]))],
        });
      },
      { statementTimeoutMs: 0 },
    );
  }

  /**
   * Puts a finished one into the tables, within the caller's transaction, in which nobody writes the chain, with what has come into
   * those that it replaces since it was finished. Which heights it has; none when it was of no use any more and is gone. Throws
   * OTHER_WRITER.
   */
  async attach(transaction: Transaction, chain: EvmChainRef, { id }: Build): Promise<readonly HeightRange[]> {
    await lockPartitions(transaction, chain);
    const build = (await findBuilds(transaction, chain)).find((each) => each.id === id);
    if (build?.readyTo == null || build.made === null) {
      throw new IndexError('OTHER_WRITER', `build ${id} is another worker's`);
    }
    const leaves = await this.leavesOf(transaction, chain, build);
    const partitions = await findPartitions(transaction, chain);
    const range = { from: build.fromHeight, to: build.toHeight };
    if (leaves.size === 0 && clip(range, partitions).length > 0) {
      await discard(transaction, build);
      return [];
    }
    const made = build.made.map(([from, to]) => ({ from: BigInt(from), to: BigInt(to) }));
    await copyMissing(transaction, build, leaves, subtract(range, made));
    for (const table of TABLES) {
      const name = tableOf(build, table);
      const leaf = leaves.get(table);
      if (leaf !== undefined) {
        await transaction.execute({ text: `DROP TABLE ${leaf}`, values: [] });
      }
      await attachPartition(transaction, table, chain, { ...range, name });
      await transaction.execute({ text: `ALTER TABLE ${name} DROP CONSTRAINT ${BOUNDS}`, values: [] });
    }
    if (leaves.size === 0) await makeOtherPartitions(transaction, chain, range, TABLES);
    await transaction.execute({ text: 'DELETE FROM evm_builds WHERE id = $1', values: [build.id] });
    // Where its lower end is a hole, its lowest block follows another one.
    if (made[0]?.from === build.fromHeight) await proveBelow(transaction, chain, build);
    this.partitions.forget(chain);
    return made;
  }

  private async begin(
    transaction: Transaction,
    chain: EvmChainRef,
    owner: string,
    { missing, outdated }: OpenHistory,
    builds: readonly Build[],
  ): Promise<Build | undefined> {
    const partitions = await findPartitions(transaction, chain);
    const building = builds.map(({ fromHeight, toHeight }) => ({ from: fromHeight, to: toHeight }));
    const taken = [...partitions, ...building].sort((a, b) => (a.from < b.from ? -1 : 1));
    const top = missing.flatMap((range) => subtract(range, taken)).at(-1)?.to;
    if (top !== undefined) {
      return insert(transaction, chain, owner, {
        range: await this.partitions.choose(transaction, chain, top, taken),
        top,
      });
    }
    const old = partitions.findLast(
      (range) => clip(range, outdated).length > 0 && clip(range, building).length === 0,
    );
    if (old === undefined) return undefined;
    return insert(transaction, chain, owner, { range: old, top: clip(old, outdated).at(-1)?.to ?? old.to });
  }

  /** The tables that it replaces; none where it is the first. */
  private async leavesOf(
    queryable: Queryable,
    chain: EvmChainRef,
    { fromHeight, toHeight }: Build,
  ): Promise<Map<EvmTable, string>> {
    const leaves = new Map<EvmTable, string>();
    for (const table of TABLES) {
      const found = (await findLeaves(queryable, table, chain)).find(
        ({ from, to }) => from === fromHeight && to === toHeight,
      );
      if (found !== undefined) leaves.set(table, found.name);
    }
    return leaves;
  }
}

const EXPIRY = `now() + interval '${CLAIM_SECONDS} seconds'`;

/**
 * Those that nobody else works on, by the clock of Postgres alone: that of another machine may differ. Whoever finishes one holds its row
 * for as long as that takes.
 */
async function findFree(
  transaction: Transaction,
  chain: EvmChainRef,
  owner: string,
): Promise<ReadonlySet<bigint>> {
  const rows = await transaction.query<{ id: string }>({
    text: 'SELECT id FROM evm_builds WHERE chain_key = $1 AND (owner = $2 OR expires_at < now()) FOR UPDATE SKIP LOCKED',
    values: [evmChainKey(chain), owner],
  });
  return new Set(rows.map(({ id }) => BigInt(id)));
}

/** Whether it is made, and the block that proves it is still to come. */
function waitsForAbove(build: Build, { missing }: OpenHistory): boolean {
  if (build.nextHeight >= build.fromHeight || build.expectedTop !== null) return false;
  return missing.some((range) => includes(range, build.topHeight + 1n));
}

/** The check that all rows are within the partition's bounds: nobody has to look through them when the table is attached. */
const BOUNDS = 'build_bounds';

/** Longer names than those of partitions: one of the same heights may still be there. */
function tableOf({ chainKey, fromHeight, id }: Build, table: CopiedTable): string {
  return `${table}_${chainKey}_${fromHeight}_${id}`;
}

/** Ascending. */
async function findBuilds(queryable: Queryable, chain: EvmChainRef): Promise<Build[]> {
  const rows = await queryable.query({
    text: `SELECT ${columnNames(BUILD.columns)} FROM evm_builds WHERE chain_key = $1 ORDER BY from_height`,
    values: [evmChainKey(chain)],
  });
  return rows.map(BUILD.read);
}

async function insert(
  transaction: Transaction,
  chain: EvmChainRef,
  owner: string,
  { range: { from, to }, top }: { range: HeightRange; top: bigint },
): Promise<Build> {
  const [row] = await transaction.query({
    text: `INSERT INTO evm_builds (chain_key, from_height, to_height, version, top_height, next_height, owner, expires_at)
           VALUES ($1, $2, $3, $4, $5, $5, $6, ${EXPIRY}) RETURNING ${columnNames(BUILD.columns)}`,
    values: [evmChainKey(chain), from, to, BASE.version, top, owner],
  });
  if (row === undefined) throw new Error('an inserted row has not come back');
  const build = BUILD.read(row);
  for (const table of TABLES) {
    await transaction.execute({
      text: `CREATE TABLE ${tableOf(build, table)} (LIKE ${table} INCLUDING ALL, CONSTRAINT ${BOUNDS}
               CHECK (chain_key = ${build.chainKey} AND height >= ${from} AND height <= ${to}))`,
      values: [],
    });
  }
  return build;
}

/** Until the transaction ends. Throws OTHER_WRITER. */
async function hold(transaction: Transaction, build: Build): Promise<void> {
  const rows = await transaction.query({
    text: 'SELECT 1 FROM evm_builds WHERE id = $1 AND owner = $2 FOR UPDATE',
    values: [build.id, build.owner],
  });
  if (rows.length !== 1) throw taken(build);
}

async function takeOver(transaction: Transaction, build: Build, owner: string): Promise<Build> {
  await transaction.execute({
    text: `UPDATE evm_builds SET owner = $2, expires_at = ${EXPIRY} WHERE id = $1`,
    values: [build.id, owner],
  });
  return { ...build, owner };
}

async function discard(transaction: Transaction, build: Build): Promise<void> {
  const tables = TABLES.map((table) => tableOf(build, table));
  await transaction.execute({ text: `DROP TABLE IF EXISTS ${tables.join(', ')}`, values: [] });
  await transaction.execute({ text: 'DELETE FROM evm_builds WHERE id = $1', values: [build.id] });
}

/** All builds of a chain that have some of these heights go. */
export async function discardBuilds(
  transaction: Transaction,
  chain: EvmChainRef,
  { from, to }: HeightRange,
): Promise<void> {
  await lockPartitions(transaction, chain);
  for (const build of await findBuilds(transaction, chain)) {
    if (build.fromHeight <= to && build.toHeight >= from) await discard(transaction, build);
  }
}

/** Heights that a statement finds, as stretches, ascending. */
async function findStretches(transaction: Transaction, { text, values }: Statement): Promise<HeightRange[]> {
  const rows = await transaction.query<{ from: string; to: string }>({
    text: `SELECT min(height) AS from, max(height) AS to FROM (
             SELECT height, height - row_number() OVER (ORDER BY height) AS island FROM (${text}) AS found
           ) AS numbered GROUP BY island ORDER BY 1`,
    values,
  });
  return rows.map(({ from, to }) => ({ from: BigInt(from), to: BigInt(to) }));
}

/**
 * Blocks of these heights that the partition which is replaced has, and the build has not. The rows of a block come together: one that
 * is filled in meanwhile is copied with all of them, or later.
 */
async function copyMissing(
  transaction: Transaction,
  build: Build,
  leaves: ReadonlyMap<EvmTable, string>,
  heights: readonly HeightRange[],
): Promise<void> {
  const blocks = leaves.get('evm_blocks');
  if (blocks === undefined) return;
  for (const { from, to } of heights) {
    const missing = await findStretches(transaction, {
      text: `SELECT height FROM ${blocks} AS block WHERE chain_key = $1 AND height BETWEEN $2 AND $3 AND NOT EXISTS (
               SELECT 1 FROM ${tableOf(build, 'evm_blocks')} AS known
                WHERE known.chain_key = block.chain_key AND known.height = block.height)`,
      values: [build.chainKey, from, to],
    });
    for (const range of missing) {
      for (const [table, leaf] of leaves) {
        await transaction.execute({
          text: `INSERT INTO ${tableOf(build, table)} SELECT * FROM ${leaf} WHERE height BETWEEN $1 AND $2`,
          values: [range.from, range.to],
        });
      }
    }
  }
}

/** The build right beneath one that is attached now is known by its hash; one of another chain goes. */
async function proveBelow(transaction: Transaction, chain: EvmChainRef, above: Build): Promise<void> {
  if (above.parentHash === null) return;
  const below = (await findBuilds(transaction, chain)).find(
    ({ toHeight, topHeight }) => toHeight === above.fromHeight - 1n && topHeight === toHeight,
  );
  if (below === undefined) return;
  if (below.topHash !== null && below.topHash !== above.parentHash) return discard(transaction, below);
  await transaction.execute({
    text: 'UPDATE evm_builds SET expected_top = $2 WHERE id = $1',
    values: [below.id, evmBytesOf(above.parentHash)],
  });
}

function taken({ fromHeight, toHeight }: Build): IndexError {
  return new IndexError('OTHER_WRITER', `another worker makes blocks ${fromHeight} to ${toHeight}`);
}
