import { Injectable } from '@nestjs/common';
import type { TokenMetadata } from '../../../avalanche/evm/transfers/token-metadata.js';
import { evmChainKey, evmChainName, type EvmChainRef } from '../../../platform/database/chains.js';
import { Database, type Transaction } from '../../../platform/database/database.js';
import { moveCheckpoint, removeCheckpoint } from '../../engine/progress/checkpoints.js';
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
import { withIndexLock } from '../../engine/following/index-lock.js';
import type { IndexPlace } from '../../engine/following/index-place.js';
import { type Checkpoint, packCheckpoint } from '../facets/checkpoint.js';
import { ChainChanges } from './chain-changes.js';
import { copyRows } from './copy-rows.js';
import { ATOMIC, type Facet, type FacetBatch, type Rows } from '../facets/facets.js';
import { insertLogs, removeLogs } from './log-rows.js';
import { EvmPartitions, type PartitionUse } from './partitions.js';
import { forgetProjections } from '../projections/projection.js';
import { isTrimmed, trimCoverage } from './retention.js';
import { TOKENS, toTokenRow } from './token-rows.js';

const DAY_SECONDS = 86_400;

export interface EvmBatch {
  readonly chain: EvmChainRef;
  readonly facets: readonly FacetBatch[];
  /** Of contracts that appear in the blocks and were not known. */
  readonly tokens?: readonly TokenMetadata[];
  /** Of what follows the tip: the checkpoint on record (null for the chain's first batch), and that of the batch. */
  readonly checkpoint?: { readonly before: Checkpoint | undefined; readonly after: Checkpoint };
}

/** Writes what blocks tell: all of a batch and what it covers in one transaction, or nothing. */
@Injectable()
export class EvmWriter {
  readonly changes = new ChainChanges();

  constructor(
    private readonly database: Database,
    private readonly partitions: EvmPartitions,
  ) {}

  /** Heights that are complete already are left as they are. Throws OTHER_WRITER and CHECKPOINT_MOVED. */
  async write(batch: EvmBatch): Promise<void> {
    const { chain, facets, checkpoint } = batch;
    await this.ensurePartitions(chain, facets, checkpoint === undefined ? 'backfill' : 'tip');
    const prepared = facets.map((facet) => ({ ...facet, rows: facet.makeRows(() => true) }));
    try {
      await this.locked(chain, (transaction, place) => writeAll(transaction, place, batch, prepared));
    } catch (error) {
      this.partitions.forget(chain); // another process may have dropped one
      throw error;
    }
  }

  /** What exports find an account's rows by, where blocks have been filled in. `filling`: where that still goes on. */
  async makeIndexes(chain: EvmChainRef, filling: bigint | undefined, signal: AbortSignal): Promise<void> {
    await this.partitions.makeIndexes(chain, filling, signal);
  }

  /** Replaces what contracts said earlier by what they say now. */
  async rewriteTokens(chain: EvmChainRef, tokens: readonly TokenMetadata[]): Promise<void> {
    if (tokens.length === 0) return;
    await this.locked(chain, (transaction) =>
      TOKENS.upsert(transaction, evmChainKey(chain).toString(), tokens.map(toTokenRow)),
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
      const added = holes.map((hole) => coveredBy(facet, 'unavailable', hole));
      await putCoverage(transaction, place, facet.name, around, added);
    });
  }

  /**
   * Drops the partitions whose blocks are all older than what is kept, for good: none of their heights is wanted any more, until more
   * is kept. Whether anything has changed. What is known of them goes first, so that who dies in between leaves nothing that is
   * believed.
   */
  async retain(chain: EvmChainRef, keepDays: number | undefined): Promise<boolean> {
    const edge = keepDays === undefined ? 0n : await this.partitions.edgeBefore(chain, daysAgo(keepDays));
    const isRight = await isTrimmed(this.database, placeOf(chain), edge);
    if (!isRight) await this.locked(chain, (transaction, place) => trimCoverage(transaction, place, edge));
    if (edge > 0n) await this.partitions.dropBelow(chain, edge);
    return !isRight;
  }

  /** Deletes everything about a chain, so that indexing starts again. */
  async reset(chain: EvmChainRef): Promise<void> {
    await this.locked(chain, async (transaction, place) => {
      await this.partitions.truncate(transaction, chain);
      for (const table of ['evm_tokens', 'evm_logs']) {
        await transaction.execute({
          text: `DELETE FROM ${table} WHERE chain_key = $1`,
          values: [evmChainKey(chain)],
        });
      }
      await ATOMIC.forget?.(transaction, chain, { from: 0n, to: MAX_HEIGHT });
      await forgetProjections(transaction, chain);
      await transaction.execute({
        text: 'DELETE FROM index_coverage WHERE network = $1 AND chain = $2',
        values: [place.network, place.chain],
      });
      await removeCheckpoint(transaction, place);
    });
  }

  /** Forgets a facet's rows of some heights, so that they are read again. */
  async resetFacet(chain: EvmChainRef, facet: Facet, range: HeightRange): Promise<void> {
    await this.locked(chain, async (transaction, place) => {
      await removeRows(transaction, chain, facet, range);
      await removeCoverage(transaction, place, facet.name, range);
    });
  }

  /** Has a facet read again where its rows may not be all there are; those that are there stay. */
  async doubt(chain: EvmChainRef, facet: Facet, range: HeightRange): Promise<void> {
    await this.locked(chain, (transaction, place) => removeCoverage(transaction, place, facet.name, range));
  }

  /** All facets of a batch are of the same heights, or there is one. */
  private async ensurePartitions(
    chain: EvmChainRef,
    facets: readonly FacetBatch[],
    use: PartitionUse,
  ): Promise<void> {
    const heights = facets.find(({ facet }) => facet.tables.length > 0);
    if (heights === undefined) return;
    const rowsPerBlock = Math.max(...facets.map((batch) => batch.rowsPerBlock));
    await this.partitions.ensure(chain, heights, rowsPerBlock, use);
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
  for (const facet of facets) await writeFacet(transaction, chain, place, facet);
  await TOKENS.insertMissing(transaction, evmChainKey(chain).toString(), tokens.map(toTokenRow));
}

/** Only heights that no other writer has written; rows of an older decoder are replaced. */
async function writeFacet(
  transaction: Transaction,
  chain: EvmChainRef,
  place: IndexPlace,
  batch: PreparedBatch,
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
  await putCoverage(
    transaction,
    place,
    facet.name,
    around,
    wanted.map((range) => coveredBy(facet, 'complete', range)),
  );
}

/** Heights that the facet can have. */
async function groundOf(
  transaction: Transaction,
  place: IndexPlace,
  { facet, from, to }: FacetBatch,
): Promise<readonly HeightRange[]> {
  const range = { from, to };
  if (facet.ground === undefined) return [range];
  return clip(range, completeRanges(await findCoverageAround(transaction, place, facet.ground, range)));
}

function coveredBy(
  { version }: Facet,
  status: CoveredRange['status'],
  { from, to }: HeightRange,
): CoveredRange {
  return { from, to, status, version, checkedAt: Date.now() };
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
  { tables, logSet, forget }: Facet,
  range: HeightRange,
): Promise<void> {
  await forget?.(transaction, chain, range);
  if (logSet !== undefined) await removeLogs(transaction, chain, logSet, range);
  for (const table of tables) {
    await transaction.execute({
      text: `DELETE FROM ${table} WHERE chain_key = $1 AND height BETWEEN $2 AND $3`,
      values: [evmChainKey(chain), range.from, range.to],
    });
  }
}
