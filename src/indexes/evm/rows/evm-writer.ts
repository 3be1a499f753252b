import { least } from '../../../avalanche/bigints.js';
import { Injectable } from '@nestjs/common';
import type { EvmHeader } from '../../../avalanche/evm/blocks/block.js';
import { evmBytesOf } from '../../../avalanche/evm/rpc/hex-values.js';
import type { TokenMetadata } from '../../../avalanche/evm/transfers/token-metadata.js';
import { evmChainKey, evmChainName, type EvmChainRef } from '../../../platform/database/chains.js';
import { Database, type Transaction } from '../../../platform/database/database.js';
import {
  findCheckpoint,
  moveCheckpoint,
  removeCheckpoint,
  type StoredCheckpoint,
} from '../../engine/progress/checkpoints.js';
import { completeRanges, type CoveredRange } from '../../engine/coverage/coverage.js';
import {
  findCoverageAround,
  putCoverage,
  removeCoverage,
} from '../../engine/coverage/coverage.repository.js';
import {
  clip,
  countHeights,
  type HeightRange,
  includes,
  MAX_HEIGHT,
  subtract,
} from '../../engine/coverage/height-range.js';
import { IndexError } from '../../engine/following/index.error.js';
import { withIndexLock } from '../../engine/following/index-lock.js';
import type { IndexPlace } from '../../engine/following/index-place.js';
import { isWithoutTable } from '../../engine/sql/refused-row.js';
import { type Checkpoint, packCheckpoint } from '../facets/checkpoint.js';
import { forgetSomeAtomicTransactions } from './atomic-utxos.js';
import { type Build, discardBuilds, EvmBuilds } from './builds.js';
import { ChainChanges } from './chain-changes.js';
import { findChangedMarks } from './chain-marks.js';
import { copyRows } from './copy-rows.js';
import { BASE, type Facet, type FacetBatch, type Rows } from '../facets/facets.js';
import { insertLogs, removeSomeLogs } from './log-rows.js';
import { COPIED_TABLES, type CopiedTable } from './evm-tables.js';
import { busyTables, EvmPartitions, TablesBusyError } from './partitions.js';
import { findDropped, isTrimmed, trimCoverage } from './retention.js';
import { FORGET_TOKENS, NEW_TOKENS, TOKENS, toTokenRows } from './token-rows.js';
import type { WatchedLog } from '../projections/watched-log.js';
import { DAY_SECONDS } from '../../../platform/time.js';

/** Everybody who wants to read the tables waits for as long as we wait for those who do. */
const SWAP_TIMEOUT_MS = 900;
const ROWS_AT_ONCE = 20_000;

export interface EvmBatch {
  readonly chain: EvmChainRef;
  readonly facets: readonly FacetBatch[];
  /** Of contracts that appear in the blocks and were not known. */
  readonly tokens?: readonly TokenMetadata[];
  /** Of what follows the tip: the checkpoint on record (null for the chain's first batch), and that of the batch. */
  readonly checkpoint?: { readonly before: Checkpoint | undefined; readonly after: Checkpoint };
}

/** Watched logs of one chain; those that were on record before may be among them. */
export type LogListener = (chain: EvmChainRef, logs: readonly WatchedLog[]) => void;

/** Writes the rows of blocks: all of a batch and what it covers in one transaction, or nothing. */
@Injectable()
export class EvmWriter {
  readonly changes = new ChainChanges((known) => findChangedMarks(this.database, known));
  private readonly logListeners: LogListener[] = [];

  constructor(
    private readonly database: Database,
    private readonly partitions: EvmPartitions,
    private readonly builds: EvmBuilds,
  ) {}

  /**
   * Calls it with the logs that this process has written once they are committed, so never with those of a batch that was rolled back.
   * After a crash in between it is not called again. It must return at once: the index goes on afterwards.
   */
  onLogs(listener: LogListener): void {
    this.logListeners.push(listener);
  }

  /** Heights that are complete already are left as they are. Throws OTHER_WRITER and CHECKPOINT_MOVED. */
  async write(batch: EvmBatch): Promise<void> {
    const { chain, facets } = batch;
    const prepared = facets.map((facet) => ({ ...facet, rows: facet.makeRows(() => true) }));
    try {
      await this.tryToWrite(batch, prepared);
    } catch (error) {
      this.partitions.forget(chain); // another process may have dropped one
      if (!isWithoutTable(error)) throw error;
      await this.tryToWrite(batch, prepared);
    }
    const logs = facets.flatMap((facet) => facet.logs ?? []);
    for (const listener of this.logListeners) listener(chain, logs);
  }

  private async tryToWrite(batch: EvmBatch, prepared: readonly PreparedBatch[]): Promise<void> {
    const { chain, facets, checkpoint } = batch;
    await this.ensurePartitions(chain, facets, checkpoint !== undefined);
    await this.locked(chain, (transaction, place) => writeAll(transaction, place, batch, prepared));
  }

  /** Puts history that was made beside the tables into them, unless it is of no use any more. Throws TablesBusyError. */
  async attach(chain: EvmChainRef, build: Build): Promise<void> {
    const range = { from: build.fromHeight, to: build.toHeight };
    await this.locked(chain, async (transaction, place) => {
      const around = await findCoverageAround(transaction, place, BASE.name, range);
      const isDropped = around.some((known) => known.status === 'dropped' && clip(range, [known]).length > 0);
      if (isDropped) return discardBuilds(transaction, chain, range);
      await transaction.execute({ text: `SET LOCAL lock_timeout = ${SWAP_TIMEOUT_MS}`, values: [] });
      const made = await this.builds.attach(transaction, chain, build).catch(busyTables);
      await cover(transaction, place, { facet: BASE, around, ranges: made, status: 'complete' });
    });
  }

  /** The partitions with this height, after many blocks. */
  async vacuum(
    chain: EvmChainRef,
    height: bigint,
    signal: AbortSignal,
    options: { isAnalyzed?: boolean } = {},
  ): Promise<void> {
    await this.database.vacuum(await this.partitions.findTables(chain, height), signal, options);
  }

  /** Replaces earlier reports of contracts by the newest. */
  async rewriteTokens(chain: EvmChainRef, tokens: readonly TokenMetadata[]): Promise<void> {
    if (tokens.length === 0) return;
    await this.locked(chain, (transaction) =>
      TOKENS.upsert(transaction, evmChainKey(chain).toString(), toTokenRows(tokens)),
    );
  }

  /** Remembers that no node has these heights of a facet, unless they have come meanwhile. */
  async markUnavailable(chain: EvmChainRef, facet: Facet, range: HeightRange): Promise<void> {
    await this.locked(chain, async (transaction, place) => {
      const around = await findCoverageAround(transaction, place, facet.name, range);
      const holes = subtract(
        range,
        around.filter(({ status }) => status !== 'unavailable'),
      );
      await cover(transaction, place, { facet, around, ranges: holes, status: 'unavailable' });
    });
  }

  /**
   * Drops the partitions whose blocks are all older than what is kept, for good: none of their heights is wanted any more, until more is
   * kept. Whether anything has changed. What is known of them goes first, so that a crash cannot leave coverage without rows.
   */
  async retain(chain: EvmChainRef, keepDays: number | undefined): Promise<boolean> {
    const edge = keepDays === undefined ? 0n : await this.partitions.edgeBefore(chain, daysAgo(keepDays));
    const place = placeOf(chain);
    let isChanged = false;
    try {
      if (!(await isTrimmed(this.database, place, edge))) {
        // All that is to be gone goes before some of it comes back: rows that are left of it would be there twice.
        const dropped = await findDropped(this.database, place);
        if (dropped >= edge) await this.partitions.dropWithin(chain, { from: 0n, to: dropped });
        await this.locked(chain, (transaction) => trimCoverage(transaction, place, edge));
        isChanged = true;
      }
      if (edge > 0n) await this.partitions.dropWithin(chain, { from: 0n, to: edge - 1n });
    } catch (error) {
      if (!(error instanceof TablesBusyError)) throw error; // what is being read is dropped another time
    }
    return isChanged;
  }

  /**
   * Has rows of some heights made again; until then the old ones answer. Heights that nobody had are asked for again. Logs go first: old and
   * new ones could not be distinguished. Others write between two pieces: what they have covered by then goes with the next one.
   */
  async renew(chain: EvmChainRef, facet: Facet, range: HeightRange): Promise<void> {
    const { logSet } = facet;
    if (logSet !== undefined) {
      const removeSome = async (transaction: Transaction, place: IndexPlace): Promise<boolean> => {
        await removeCoverage(transaction, place, facet.name, range);
        return removeSomeLogs(transaction, chain, logSet.name, range);
      };
      while (await this.locked(chain, removeSome));
      return;
    }
    await this.locked(chain, async (transaction, place) => {
      const around = await findCoverageAround(transaction, place, facet.name, range);
      const parts = around
        .filter(({ status }) => status !== 'dropped')
        .flatMap((known) => clip(range, [known]).map((part) => ({ ...known, ...part })));
      for (const part of parts) await removeCoverage(transaction, place, facet.name, part);
      const outdated = parts.filter(({ status }) => status === 'complete');
      const left = await findCoverageAround(transaction, place, facet.name, range);
      const again = outdated.map((part) => ({ ...part, version: 0 }));
      await putCoverage(transaction, place, facet.name, left, again);
      if (facet === BASE) await discardBuilds(transaction, chain, range);
    });
  }

  /**
   * Goes back to the block beneath a height: what is above is forgotten, and followed anew; all of it where nothing is beneath. What is
   * known goes first, then the rows, piece by piece: nobody waits for long. Who dies in between has to do it again. `header`: that block,
   * of a chain whose blocks are not on record. Throws RangeError where it is neither given nor on record, TablesBusyError, and
   * CHECKPOINT_MOVED where the chain is followed again already.
   */
  async goBack(chain: EvmChainRef, height: bigint, header?: EvmHeader): Promise<void> {
    const gone = await this.locked(chain, async (transaction, place) => {
      const beneath = header === undefined ? await findBeneath(transaction, chain, height) : refOf(header);
      const isWhole = await moveBack(transaction, place, height, beneath);
      const range = { from: isWhole ? 0n : height, to: MAX_HEIGHT };
      for (const facet of await findFacets(transaction, place)) {
        await removeCoverage(transaction, place, facet, range);
      }
      await discardBuilds(transaction, chain, range);
      return range;
    });
    // A worker that has lost its heartbeat may still be here when another one is done, and rows have come anew.
    const ifStillGone = <T>(work: (transaction: Transaction) => Promise<T>): Promise<T> =>
      this.locked(chain, async (transaction, place) => {
        const now = await findCheckpoint(transaction, place);
        if (now !== undefined && now.height >= gone.from) {
          throw new IndexError('CHECKPOINT_MOVED', `the index is at height ${now.height} again`);
        }
        return work(transaction);
      });
    await this.partitions.dropWithin(chain, gone, ifStillGone);
    // evm_blocks last: its key refuses a block of which other rows may still be there.
    for (const table of COPIED_TABLES.toReversed()) {
      while (await ifStillGone((transaction) => removeSomeRows(transaction, table, chain, gone)));
    }
    while (await ifStillGone((transaction) => forgetSomeAtomicTransactions(transaction, chain, gone)));
    while (await ifStillGone((transaction) => removeSomeLogs(transaction, chain, undefined, gone)));
    if (gone.from > 0n) return;
    await ifStillGone((transaction) =>
      transaction.execute({ text: FORGET_TOKENS, values: [evmChainKey(chain)] }),
    );
  }

  /** Has a facet read again where its rows may not be all there are; those that are there stay. */
  async doubt(chain: EvmChainRef, facet: Facet, range: HeightRange): Promise<void> {
    await this.locked(chain, (transaction, place) => removeCoverage(transaction, place, facet.name, range));
  }

  /** All facets of a batch are of the same heights, or there is one. */
  private async ensurePartitions(
    chain: EvmChainRef,
    facets: readonly FacetBatch[],
    isTip: boolean,
  ): Promise<void> {
    const heights = facets.find(({ facet }) => facet.tables.length > 0);
    if (heights === undefined) return;
    const rowsPerBlock = Math.max(...facets.map((batch) => batch.rowsPerBlock));
    await this.partitions.ensure(chain, heights, rowsPerBlock, isTip);
  }

  private async locked<T>(
    chain: EvmChainRef,
    work: (transaction: Transaction, place: IndexPlace) => Promise<T>,
  ): Promise<T> {
    const place = placeOf(chain);
    try {
      return await withIndexLock(this.database, place, (transaction) => work(transaction, place));
    } finally {
      this.changes.note(chain); // also when its end is not known
    }
  }
}

type Beneath = Pick<StoredCheckpoint, 'height' | 'blockId' | 'blockTime'>;

async function findBeneath(
  transaction: Transaction,
  chain: EvmChainRef,
  height: bigint,
): Promise<Beneath | undefined> {
  const [row] = await transaction.query<{ height: string; hash: Buffer; block_time: string }>({
    text: `SELECT height, hash, block_time FROM evm_blocks WHERE chain_key = $1 AND height < $2 ORDER BY height DESC LIMIT 1`,
    values: [evmChainKey(chain), height],
  });
  return row && { height: BigInt(row.height), blockId: row.hash, blockTime: Number(row.block_time) };
}

function refOf({ height, hash, timestampSeconds }: EvmHeader): Beneath {
  return { height, blockId: evmBytesOf(hash), blockTime: timestampSeconds };
}

/** Whether the checkpoint has gone altogether, because nothing is beneath. Where it has moved already, it stays. */
async function moveBack(
  transaction: Transaction,
  place: IndexPlace,
  height: bigint,
  beneath: Beneath | undefined,
): Promise<boolean> {
  if (beneath === undefined) {
    await removeCheckpoint(transaction, place);
    return true;
  }
  const before = await findCheckpoint(transaction, place);
  if (before === undefined || beneath.height !== height - 1n || before.height < height - 1n) {
    throw new RangeError(`the index cannot go back to block ${height - 1n}, which it does not have`);
  }
  await moveCheckpoint(transaction, place, before, { ...beneath, state: before.state });
  return false;
}

async function findFacets(transaction: Transaction, { network, chain }: IndexPlace): Promise<string[]> {
  const rows = await transaction.query<{ facet: string }>({
    text: 'SELECT DISTINCT facet FROM index_coverage WHERE network = $1 AND chain = $2',
    values: [network, chain],
  });
  return rows.map(({ facet }) => facet);
}

/** So many that it takes a moment; whether there may be more. */
async function removeSomeRows(
  transaction: Transaction,
  table: CopiedTable,
  chain: EvmChainRef,
  { from, to }: HeightRange,
): Promise<boolean> {
  const removed = await transaction.execute({
    text: `DELETE FROM ${table} WHERE chain_key = $1 AND height BETWEEN $2 AND COALESCE((
             SELECT height FROM ${table} WHERE chain_key = $1 AND height BETWEEN $2 AND $3 ORDER BY height OFFSET ${ROWS_AT_ONCE} LIMIT 1
           ), $3)`,
    values: [evmChainKey(chain), from, to],
  });
  return removed > 0;
}

function placeOf({ network, chainId }: EvmChainRef): IndexPlace {
  return { network, chain: evmChainName(chainId) };
}

/** UNIX seconds. */
function daysAgo(days: number): number {
  return Math.floor(Date.now() / 1000) - days * DAY_SECONDS;
}

/** With the rows of all of its heights, made before anybody has to wait for the lock. */
interface PreparedBatch extends FacetBatch {
  readonly rows: Rows;
}

interface BoundedBatch extends PreparedBatch {
  /** Where the index stands: it may have gone back meanwhile. */
  readonly upTo: bigint;
}

async function writeAll(
  transaction: Transaction,
  place: IndexPlace,
  { chain, tokens = [], checkpoint }: EvmBatch,
  facets: readonly PreparedBatch[],
): Promise<void> {
  if (checkpoint !== undefined) {
    const before = checkpoint.before && packCheckpoint(checkpoint.before);
    await moveCheckpoint(transaction, place, before, packCheckpoint(checkpoint.after));
  }
  const { height } = checkpoint?.after ?? (await findCheckpoint(transaction, place)) ?? { height: -1n };
  for (const facet of facets) await writeFacet(transaction, chain, place, { ...facet, upTo: height });
  await NEW_TOKENS.upsert(transaction, evmChainKey(chain).toString(), toTokenRows(tokens));
}

/** Only heights that no other writer has written; rows of an older decoder are replaced. */
async function writeFacet(
  transaction: Transaction,
  chain: EvmChainRef,
  place: IndexPlace,
  batch: BoundedBatch,
): Promise<void> {
  const { facet } = batch;
  const around = await findCoverageAround(transaction, place, facet.name, batch);
  const ground = await groundOf(transaction, place, batch);
  const wanted = ground.flatMap((range) => subtract(range, around.filter(isSettled(facet))));
  if (wanted.length === 0) return;
  // Of logs the same ones come again, and more.
  for (const range of facet.logSet === undefined ? wanted : []) {
    for (const outdated of clip(range, around.filter(isOutdated(facet)))) {
      await removeRows(transaction, chain, facet, outdated);
    }
  }
  const isWanted = (height: bigint): boolean => wanted.some((range) => includes(range, height));
  const isWhole = countHeights(wanted) === countHeights([batch]);
  const rows = isWhole ? batch.rows : batch.makeRows(isWanted);
  for (const [table, text] of rows) await copyRows(transaction, table, text);
  await batch.writeMore?.(transaction, isWanted);
  if (facet.logSet !== undefined) {
    const logs = (batch.logs ?? []).filter(({ height }) => isWanted(height));
    await insertLogs(transaction, chain, facet.logSet, logs);
  }
  await cover(transaction, place, { facet, around, ranges: wanted, status: 'complete' });
}

/** `around`: the result of `findCoverageAround`. */
async function cover(
  transaction: Transaction,
  place: IndexPlace,
  {
    facet: { name, version },
    around,
    ranges,
    status,
  }: {
    facet: Facet;
    around: readonly CoveredRange[];
    ranges: readonly HeightRange[];
    status: CoveredRange['status'];
  },
): Promise<void> {
  const checkedAt = Date.now();
  const added = ranges.map(({ from, to }) => ({ from, to, status, version, checkedAt }));
  await putCoverage(transaction, place, name, around, added);
}

/** Heights that the facet can have. */
async function groundOf(
  transaction: Transaction,
  place: IndexPlace,
  { facet, from, to, upTo }: BoundedBatch,
): Promise<readonly HeightRange[]> {
  if (from > upTo) return [];
  const range = { from, to: least(to, upTo) };
  if (facet.ground === undefined) return [range];
  return clip(range, completeRanges(await findCoverageAround(transaction, place, facet.ground, range)));
}

/** There, or not wanted any more. */
function isSettled({ version }: Facet): (range: CoveredRange) => boolean {
  return (range) => range.status === 'dropped' || (range.status === 'complete' && range.version >= version);
}

function isOutdated({ version }: Facet): (range: CoveredRange) => boolean {
  return (range) => range.status === 'complete' && range.version < version;
}

async function removeRows(
  transaction: Transaction,
  chain: EvmChainRef,
  { tables, wholeTables = [], forget }: Facet,
  range: HeightRange,
): Promise<void> {
  await forget?.(transaction, chain, range);
  for (const table of [...tables, ...wholeTables]) {
    await transaction.execute({
      text: `DELETE FROM ${table} WHERE chain_key = $1 AND height BETWEEN $2 AND $3`,
      values: [evmChainKey(chain), range.from, range.to],
    });
  }
}
