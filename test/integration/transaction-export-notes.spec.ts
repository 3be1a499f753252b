import { beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { randomUUID } from 'node:crypto';
import { ATOMIC, BASE } from '../../src/indexes/evm/facets/facets.js';
import { evmChainName, P_CHAIN } from '../../src/platform/database/chains.js';
import { addDays, dayOf, startOf } from '../../src/exports/turns/days.js';
import {
  DAYS,
  ExportBed,
  expectedRows,
  expectSame,
  FIRST_DAY,
  LAST_DAY,
  linesOf,
  LONG_MS,
  makeStorage,
} from '../support/exports/export-bed.js';
import { makeWriter } from '../support/evm/evm-index.js';
import { type ExportChain, startExportChain } from '../support/exports/export-chain.js';
import { createEvmChains, NO_LIMITS, runExport } from '../support/exports/export-run.js';
import { createExporter } from '../support/exports/make-exporter.js';
import { indexBlocks } from '../support/exports/export-tables.js';
import { storeCoverage } from '../support/store-coverage.js';
import { createMigratedDatabase } from '../support/harness/database.js';
import { addressFor } from '../../sandbox/generated/evm-block.js';
import { withoutStates } from '../support/sandbox/without-states.js';

describe('notes of an export', () => {
  let bed: ExportBed;
  let one: ExportChain;
  let other: ExportChain;
  let indexed: DataSource;

  beforeAll(async () => {
    bed = await ExportBed.start();
    ({ one, other, indexed } = bed);
  });

  it('has what calls moved as rows without another side where no node traces them', async () => {
    const request = bed.requestOf({ chainIds: ['9002'], firstDate: addDays(FIRST_DAY, -40) });
    other.node.setCChainBehaviour({ kind: 'noTracer' });
    try {
      const { file, progress } = await bed.exportAll(await createMigratedDatabase(), request);
      const [found, traced] = [linesOf(file).slice(1), expectedRows(other, request)];
      const isInternal = (row: string): boolean => row.includes(',INTERNAL,');
      const others = (rows: string[]): string[] => rows.filter((row) => !isInternal(row));
      expectSame(others(found), others(traced));
      expect(internalSums(found)).toEqual(internalSums(traced));
      expect(internalSums(found).size).toBeGreaterThan(20);
      expect(progress).toMatchObject({ state: 'done', nextDate: null, hasGaps: false });
      const unnamed = request.addresses.map((address) =>
        expect.stringMatching(`^${address} on Chain 9002 \\(9002\\): \\d+ amounts .* no other side`),
      );
      expect(progress.notes).toEqual([
        `Chain 9002 (9002): its first block is later than ${request.firstDate}`,
        ...unnamed,
      ]);
    } finally {
      other.node.setCChainBehaviour({ kind: 'honest' });
    }
  });

  it('reports when internal transfers of indexed blocks are missing', async () => {
    const request = bed.requestOf({ chainIds: ['9002'] });
    const cut = 150n;
    const from = dayOf(other.blocks[150]?.block.timestampSeconds ?? 0);
    await storeCoverage(indexed, other.chain, [
      { from: 0n, to: cut - 1n, isTraced: true },
      { from: cut, to: 299n, isTraced: false },
    ]);
    const { progress } = await withoutStates(other.node, () => bed.exportAll(indexed, request));
    // Quiet days are in no range.
    expect(progress.notes).toEqual([
      expect.stringMatching(
        new RegExp(`^Chain 9002 \\(9002\\): internal transfers .* not traced, on ${from} to .*${LAST_DAY}$`),
      ),
    ]);
    await storeCoverage(indexed, other.chain, [{ from: 0n, to: 299n, isTraced: true }]);
  });

  it('reports when the names of its tokens could not be asked for yet, but not when a contract has none', async () => {
    const database = await bed.indexParts((blocks) => [[...blocks]]);
    const request = bed.requestOf({ chainIds: ['9001'] });
    expect((await bed.exportAll(database, request)).progress.notes).toEqual([]);
    const rows = expectedRows(one, request).map((row) => row.split(','));
    const [, , , , date = '', , , , , , , , contract = ''] =
      rows.find(([, , , , , , , , , kind]) => kind === 'ERC20') ?? [];
    const fail = (address: string) =>
      database.query(
        `UPDATE evm_tokens SET name = NULL, symbol = NULL, csv_symbol = NULL, decimals = NULL, unit = NULL, failure = 'away'
          WHERE contract = $1`,
        [Buffer.from(address.slice(2), 'hex')],
      );
    await fail(contract);
    const { progress } = await bed.exportAll(database, request);
    expect(progress).toMatchObject({ state: 'done', hasGaps: true });
    expect(progress.notes).toEqual([
      expect.stringMatching(
        new RegExp(
          `^Chain 9001 \\(9001\\): names and decimals of some tokens are not in the file, .* on .*${date.slice(0, 10)}`,
        ),
      ),
    ]);
    // Of others' tokens nothing is missing.
    const stranger = bed.requestOf({ chainIds: ['9001'], addresses: [addressFor(9_999)] });
    expect((await bed.exportAll(database, stranger)).progress.hasGaps).toBe(false);
    // Names of tokens that are read from a node are asked of it, too.
    await database.query("DELETE FROM index_coverage WHERE facet = 'base'");
    const { file, progress: scanned } = await bed.exportAll(database, request);
    expectSame(linesOf(file).slice(1), expectedRows(one, request));
    expect(scanned.hasGaps).toBe(false);
  });

  it('reports when imports and exports of a C-chain are not indexed yet', async () => {
    const period = { startSeconds: startOf(FIRST_DAY), days: DAYS };
    const { chain, people, blocks, tokens } = await startExportChain({
      ...period,
      chainId: 43112n,
      seed: 4,
      blocks: 60,
    });
    const database = await createMigratedDatabase();
    await indexBlocks(database, chain, [blocks], tokens);
    const request = bed.requestOf({ addresses: people.slice(0, 4), chainIds: ['43112'] });
    const notesOf = async (): Promise<readonly string[]> => {
      const exporter = createExporter(database, createEvmChains([chain]), makeStorage());
      const input = { operationId: randomUUID(), request, limits: NO_LIMITS, durationMs: LONG_MS };
      const { notes, hasGaps, state } = await runExport(exporter, input);
      expect({ hasGaps, state }).toEqual({ hasGaps: notes.length > 0, state: 'done' });
      return notes;
    };
    const cover = (from: number, to: number) =>
      database.query(
        `INSERT INTO index_coverage (network, chain, facet, from_height, to_height, status, version)
         VALUES ($1, $2, 'atomic', $3, $4, 'complete', $5)`,
        [chain.network, evmChainName(chain.chainId), from, to, ATOMIC.version],
      );
    await cover(30, 59);
    // This network's asset id of AVAX is recorded with its P-chain index.
    await expect(notesOf()).rejects.toMatchObject({ code: 'NETWORK_NOT_INDEXED' });
    await database.query(
      `INSERT INTO index_checkpoints (network, chain, height, block_id, block_time, state)
       VALUES ($1, $2, 0, '', 0, $3)`,
      [chain.network, P_CHAIN, { networkId: 12345, avaxAssetId: 'ab'.repeat(32) }],
    );
    const last = dayOf(blocks[29]?.block.timestampSeconds ?? 0);
    const [note, ...others] = await notesOf();
    expect(others).toEqual([]);
    expect(note).toContain(
      `${chain.name} (43112): imports and exports of some or all blocks are not in the file`,
    );
    // Days without a block are left out.
    expect(note).toMatch(new RegExp(` on ${FIRST_DAY} to (.*, )?(.* to )?${last}$`));
    await cover(0, 29);
    expect(await notesOf()).toEqual([]);
    await makeWriter(database).renew(chain, BASE, { from: 0n, to: 59n });
    expect(await notesOf()).toEqual([
      expect.stringMatching(
        /^.* \(43112\): rows of some or all blocks are being made again, and may differ then, on /,
      ),
    ]);
  });
});

/** By height and account, what calls brought. */
function internalSums(rows: readonly string[]): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const row of rows.filter((each) => each.includes(',INTERNAL,'))) {
    const cells = row.split(',');
    const key = `${cells[2]} ${cells[11]}`;
    sums.set(key, (sums.get(key) ?? 0n) + BigInt(cells[17] ?? ''));
  }
  for (const [key, sum] of sums) if (sum === 0n) sums.delete(key);
  return sums;
}
