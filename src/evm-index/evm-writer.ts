import { Injectable } from '@nestjs/common';
import type { TokenMetadata } from '../avalanche/evm/token-metadata.js';
import { evmChainKey, evmChainName, type EvmChainRef } from '../database/chains.js';
import { Database, type Transaction } from '../database/database.js';
import { moveCheckpoint, removeCheckpoint } from '../indexing/checkpoints.js';
import { completeRanges, type CoveredRange } from '../indexing/coverage.js';
import { findCoverageAround, putCoverage, removeCoverage } from '../indexing/coverage.repository.js';
import { clip, type HeightRange, includes, subtract } from '../indexing/height-range.js';
import { withIndexLock } from '../indexing/index-lock.js';
import type { IndexPlace } from '../indexing/index-place.js';
import { type Checkpoint, packCheckpoint } from './checkpoint.js';
import { copyRows } from './copy-rows.js';
import type { Facet, FacetBatch } from './facets.js';
import { insertLogs, removeLogs } from './log-rows.js';
import { EvmPartitions } from './partitions.js';
import { TOKENS } from './token-rows.js';

export interface EvmBatch {
  readonly chain: EvmChainRef;
  readonly facets: readonly FacetBatch[];
  /** Of contracts that appear in the blocks and were not known. */
  readonly tokens?: readonly TokenMetadata[];
  /** Of what follows the tip: the checkpoint on record (null for the chain's first batch), and that of the batch. */
  readonly checkpoint?: { readonly before: Checkpoint | null; readonly after: Checkpoint };
}

/** Writes what blocks tell: all of a batch and what it covers in one transaction, or nothing. */
@Injectable()
export class EvmWriter {
  constructor(
    private readonly database: Database,
    private readonly partitions: EvmPartitions,
  ) {}

  /** Heights that are complete already are left as they are. Throws OTHER_WRITER and CHECKPOINT_MOVED. */
  async write({ chain, facets, tokens = [], checkpoint }: EvmBatch): Promise<void> {
    for (const batch of facets) {
      if (batch.facet.tables.length > 0) await this.partitions.ensure(chain, batch, batch.rowsPerBlock);
    }
    await this.locked(chain, async (transaction, place) => {
      if (checkpoint !== undefined) {
        const { before, after } = checkpoint;
        await moveCheckpoint(
          transaction,
          place,
          before === null ? null : packCheckpoint(before),
          packCheckpoint(after),
        );
      }
      for (const batch of facets) await writeFacet(transaction, chain, place, batch);
      await TOKENS.insertMissing(transaction, evmChainKey(chain).toString(), tokens);
    });
  }

  /** What contracts say now, in the place of what they said. */
  async rewriteTokens(chain: EvmChainRef, tokens: readonly TokenMetadata[]): Promise<void> {
    if (tokens.length === 0) return;
    await this.locked(chain, (transaction) =>
      TOKENS.upsert(transaction, evmChainKey(chain).toString(), tokens),
    );
  }

  /** Remembers that no node has these heights of a facet, unless they have come meanwhile. */
  async markUnavailable(chain: EvmChainRef, facet: Facet, range: HeightRange): Promise<void> {
    await this.locked(chain, async (transaction, place) => {
      const around = await findCoverageAround(transaction, place, facet.name, range);
      const holes = subtract(range, completeRanges(around));
      const added = holes.map((hole) => coveredBy(facet, 'unavailable', hole));
      await putCoverage(transaction, place, facet.name, around, added);
    });
  }

  /** Forgets everything about a chain, so that indexing begins anew. */
  async reset(chain: EvmChainRef): Promise<void> {
    await this.locked(chain, async (transaction, place) => {
      await this.partitions.truncate(transaction, chain);
      for (const table of ['evm_tokens', 'evm_logs', 'projection_checkpoints']) {
        await transaction.execute({
          text: `DELETE FROM ${table} WHERE chain_key = $1`,
          values: [evmChainKey(chain)],
        });
      }
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

  private locked<T>(
    chain: EvmChainRef,
    work: (transaction: Transaction, place: IndexPlace) => Promise<T>,
  ): Promise<T> {
    const place = { network: chain.network, chain: evmChainName(chain.chainId) };
    return withIndexLock(this.database, place, (transaction) => work(transaction, place));
  }
}

/** Only of heights that nobody else has written; rows of an older decoder make room. */
async function writeFacet(
  transaction: Transaction,
  chain: EvmChainRef,
  place: IndexPlace,
  batch: FacetBatch,
): Promise<void> {
  const { facet } = batch;
  const around = await findCoverageAround(transaction, place, facet.name, batch);
  const ground = await groundOf(transaction, place, batch);
  const wanted = ground.flatMap((range) => subtract(range, around.filter(isCurrent(facet))));
  if (wanted.length === 0) return;
  // Of logs the same ones come again, and more.
  for (const range of facet.logSet === undefined ? wanted : []) {
    for (const outdated of clip(range, around.filter(isOutdated(facet)))) {
      await removeRows(transaction, chain, facet, outdated);
    }
  }
  const isWanted = (height: bigint): boolean => wanted.some((range) => includes(range, height));
  const rows = batch.makeRows(isWanted);
  for (const [table, text] of rows) await copyRows(transaction, table, text);
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

function isCurrent({ version }: Facet): (range: CoveredRange) => boolean {
  return (range) => range.status === 'complete' && range.version >= version;
}

function isOutdated({ version }: Facet): (range: CoveredRange) => boolean {
  return (range) => range.status === 'complete' && range.version < version;
}

async function removeRows(
  transaction: Transaction,
  chain: EvmChainRef,
  { tables, logSet }: Facet,
  range: HeightRange,
): Promise<void> {
  if (logSet !== undefined) await removeLogs(transaction, chain, logSet, range);
  for (const table of tables) {
    await transaction.execute({
      text: `DELETE FROM ${table} WHERE chain_key = $1 AND height BETWEEN $2 AND $3`,
      values: [evmChainKey(chain), range.from, range.to],
    });
  }
}
