import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { SignedProofSchema } from '../../src/exports/proof/export-proof.js';
import { verifyExport } from '../../src/exports/proof/verify-export.js';
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { ATOMIC, BASE } from '../../src/indexes/evm/facets/facets.js';
import { evmChainName, P_CHAIN } from '../../src/platform/database/chains.js';
import { formatCsvHeader } from '../../src/exports/rows/csv.js';
import { addDays, dayOf, startOf } from '../../src/exports/turns/days.js';
import type { ExportProgress } from '../../workflows/contracts/export-transactions.js';
import {
  DAYS,
  ExportBed,
  expectedRows,
  expectRows,
  expectSame,
  expectWhole,
  FIRST_DAY,
  LAST_DAY,
  linesOf,
  LONG_MS,
  makeStorage,
  SHORT_MS,
  TODAY,
} from '../support/exports/export-bed.js';
import { makeWriter, setTip } from '../support/evm/evm-index.js';
import { type ExportChain, startExportChain } from '../support/exports/export-chain.js';
import { NODE_FAILURES } from '../support/indexer.js';
import {
  createEvmChains,
  exportTurn,
  NO_LIMITS,
  readExport,
  runExport,
} from '../support/exports/export-run.js';
import { createExporter } from '../support/exports/make-exporter.js';
import { indexBlocks } from '../support/exports/export-tables.js';
import { storeCoverage } from '../support/store-coverage.js';
import { createMigratedDatabase } from '../support/harness/database.js';
import { addressFor } from '../../sandbox/generated/evm-block.js';
import { withoutStates } from '../support/sandbox/without-states.js';
import { pChainAt } from '../support/sandbox/p-chain-time.js';
import { UnreliableStorage } from '../support/exports/unreliable-storage.js';

describe('an export by days', () => {
  let bed: ExportBed;
  let chains: readonly ExportChain[];
  let one: ExportChain;
  let other: ExportChain;
  let indexed: DataSource;

  beforeAll(async () => {
    bed = await ExportBed.start();
    ({ chains, one, other, indexed } = bed);
  });

  it.each([
    ['rows', { ...NO_LIMITS, maxRows: 300 }, true],
    ['rows of blocks that are not indexed', { ...NO_LIMITS, maxRows: 300 }, false],
    ['calls to nodes', { ...NO_LIMITS, maxNodeCalls: 100 }, false],
  ])('ends behind a whole day after too many %s, and goes on from the next', async (_, limits, isIndexed) => {
    const database = isIndexed ? indexed : await createMigratedDatabase();
    const request = bed.requestOf();
    const rows: string[] = [];
    let firstDate: string | null = request.firstDate;
    let files = 0;
    while (firstDate !== null) {
      const { file, progress } = await bed.exportAll(database, { ...request, firstDate }, { limits });
      const [header, ...own] = linesOf(file);
      expect(header).toBe(formatCsvHeader());
      expect(progress.state).toBe(progress.nextDate === null ? 'done' : 'truncated');
      if (progress.nextDate !== null) {
        expect(progress.nextDate > firstDate).toBe(true);
        const lastDate = addDays(progress.nextDate, -1);
        expectRows(own, chains, { ...request, firstDate, lastDate });
      }
      rows.push(...own);
      firstDate = progress.nextDate;
      files += 1;
    }
    expect(files).toBeGreaterThan(2);
    expectRows(rows, chains, request);
  });

  describe('with a day that no later block proves whole', () => {
    const newest = (height: number, date: string) =>
      expect.stringMatching(
        new RegExp(
          `^Chain 9001 \\(9001\\): days from ${date} on may be incomplete, as its newest known block was ${height} of ${date} `,
        ),
      );

    it('has what is known of it, and names it', async () => {
      const request = bed.requestOf({ chainIds: ['9001'], lastDate: TODAY });
      const { file, progress } = await bed.exportAll(indexed, request);
      expectSame(linesOf(file).slice(1), expectedRows(one, request));
      expect(progress).toMatchObject({ state: 'truncated', nextDate: TODAY, hasGaps: true });
      expect(progress.notes).toEqual([newest(699, TODAY)]);
    });

    it('has it last until a day in the future', async () => {
      const request = bed.requestOf({ chainIds: ['9001'], lastDate: addDays(TODAY, 3_000) });
      const { file, progress } = await bed.exportAll(indexed, request);
      expectSame(linesOf(file).slice(1), expectedRows(one, request));
      expect(progress).toMatchObject({ state: 'truncated', nextDate: TODAY });
    });

    it('has it last when the nodes are away', async () => {
      const request = bed.requestOf({ chainIds: ['9001'], lastDate: TODAY });
      one.node.setNodeBehaviour(NODE_FAILURES.unavailable);
      try {
        const { file, progress } = await bed.exportAll(indexed, request);
        expectSame(linesOf(file).slice(1), expectedRows(one, request));
        expect(progress).toMatchObject({ state: 'truncated', nextDate: TODAY, notes: [newest(699, TODAY)] });
        // A day that is over can be known completely, so it is waited for.
        const behind = await bed.indexParts((blocks) => [blocks.slice(0, 300)]);
        await expect(bed.exportAll(behind, request)).rejects.toMatchObject({ code: 'NODE_UNREACHABLE' });
      } finally {
        one.node.setNodeBehaviour({});
      }
    });

    it.each([
      ['and nothing is indexed', () => createMigratedDatabase()],
      ['and the index ends there too', () => bed.indexParts((blocks) => [blocks.slice(0, 400)])],
      ['and the index ends before', () => bed.indexParts((blocks) => [blocks.slice(100, 300)])],
    ])('has it long after it is over with a node that stays behind %s', async (_, makeDatabase) => {
      const tip = 399;
      const date = dayOf(one.blocks[tip]?.block.timestampSeconds ?? 0);
      expect(date < addDays(LAST_DAY, -1)).toBe(true);
      setTip(one.node, tip);
      one.node.setNodeBehaviour(pChainAt(startOf(date)));
      try {
        const request = bed.requestOf();
        const { file, progress } = await bed.exportAll(await makeDatabase(), request);
        expect(progress).toMatchObject({ state: 'truncated', nextDate: date, notes: [newest(tip, date)] });
        const rows = linesOf(file).slice(1);
        const known = { ...one, blocks: one.blocks.slice(0, tip + 1) };
        expectSame(
          rows.filter((row) => row.startsWith('9001,')),
          expectedRows(known, request),
        );
        // The other chain is complete, as it can be known: that it comes again does no harm.
        expectSame(
          rows.filter((row) => row.startsWith('9002,')),
          chains.slice(1).flatMap((chain) => expectedRows(chain, request)),
        );
      } finally {
        one.node.setCChainBehaviour({ kind: 'honest' });
        one.node.setNodeBehaviour({});
      }
    });

    it('does not count a day as such whose end an indexed block proves, whatever the nodes report', async () => {
      one.node.setNodeBehaviour(NODE_FAILURES.unavailable);
      try {
        const { progress } = await bed.exportAll(indexed, bed.requestOf({ chainIds: ['9001'] }));
        expect(progress).toMatchObject({ state: 'done', nextDate: null, hasGaps: false });
      } finally {
        one.node.setNodeBehaviour({});
      }
    });
  });

  describe('with a chain that has been idle since', () => {
    const tip = 399;
    let date: string;

    beforeAll(() => {
      date = dayOf(one.blocks[tip]?.block.timestampSeconds ?? 0);
      setTip(one.node, tip);
    });

    afterAll(() => one.node.setCChainBehaviour({ kind: 'honest' }));
    afterEach(() => one.node.setNodeBehaviour({}));

    const known = () => [{ ...one, blocks: one.blocks.slice(0, tip + 1) }, ...chains.slice(1)];

    it.each([
      ['indexed', () => bed.indexParts((blocks) => [blocks.slice(0, 400)])],
      ['read from its nodes', () => createMigratedDatabase()],
    ])('is complete up to yesterday when it is %s', async (_, makeDatabase) => {
      const request = bed.requestOf();
      const { file, progress } = await bed.exportAll(await makeDatabase(), request);
      expect(progress).toMatchObject({ state: 'done', nextDate: null, hasGaps: false, notes: [] });
      expectWhole(file, known(), request);
    });

    it('is complete on days before which it was idle already', async () => {
      const request = bed.requestOf({ firstDate: addDays(date, 1) });
      const { file, progress } = await bed.exportAll(indexed, request);
      expect(progress).toMatchObject({ state: 'done', hasGaps: false });
      expectRows(linesOf(file).slice(1), chains.slice(1), request);
    });

    it('has only today open when today is asked for', async () => {
      const { progress } = await bed.exportAll(
        await createMigratedDatabase(),
        bed.requestOf({ chainIds: ['9001'], lastDate: TODAY }),
      );
      expect(progress).toMatchObject({ state: 'truncated', nextDate: TODAY });
    });

    it('leaves the days of other chains whole when its nodes are stuck from the first day on', async () => {
      one.node.setNodeBehaviour(pChainAt(startOf(date)));
      const request = bed.requestOf({ firstDate: addDays(date, 1) });
      const { progress } = await bed.exportAll(await createMigratedDatabase(), request);
      // An export that began where this one has to would end in the same way, again and again.
      expect(progress).toMatchObject({ state: 'done', nextDate: null, hasGaps: true });
      expect(progress.notes).toEqual([
        expect.stringContaining(`Chain 9001 (9001): days from ${request.firstDate} on may be incomplete`),
      ]);
    });

    it('does not keep the whole days of others from being kept after too long', async () => {
      one.node.setNodeBehaviour(pChainAt(startOf(date)));
      const request = bed.requestOf({ firstDate: addDays(date, 1) });
      const database = await createMigratedDatabase();
      const storage = makeStorage();
      const exporter = bed.makeExporter(database, storage);
      const input = { operationId: randomUUID(), request, limits: NO_LIMITS, durationMs: SHORT_MS };
      for (let day = request.firstDate; day <= addDays(request.firstDate, 1);) {
        day = (await exportTurn(exporter, input)).day ?? '9';
      }
      const kept = await exporter.keepWholeDays(input);
      expect(kept).toMatchObject({ state: 'truncated' });
      const nextDate = kept?.nextDate ?? '';
      expect(nextDate > addDays(request.firstDate, 1)).toBe(true);
      expectWhole(await readExport(database, storage, input.operationId), chains.slice(1), {
        ...request,
        lastDate: addDays(nextDate, -1),
      });
    });
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

  it('has the days of a time zone, and names them so', async () => {
    const timeZone = 'Asia/Kolkata';
    const inIndia = (seconds: number): string => dayOf(seconds + 5.5 * 3_600);
    const request = bed.requestOf({
      timeZone,
      chainIds: ['9001'],
      firstDate: addDays(FIRST_DAY, 2),
      lastDate: addDays(FIRST_DAY, 6),
    });
    const days = { firstDate: '1970-01-01', lastDate: '9999-12-31' };
    const blocks = one.blocks.filter(({ block }) => {
      const date = inIndia(block.timestampSeconds);
      return request.firstDate <= date && date <= request.lastDate;
    });
    const expected = expectedRows({ ...one, blocks }, { ...request, ...days });
    expect(expected).not.toEqual(expectedRows(one, request));
    for (const database of [indexed, await createMigratedDatabase()]) {
      const { file, progress } = await bed.exportAll(database, request);
      expect(progress).toMatchObject({ state: 'done', notes: [] });
      expectSame(linesOf(file).slice(1), expected);
    }
    const all = { from: 0n, to: BigInt(one.blocks.length - 1) };
    await storeCoverage(indexed, one.chain, [{ ...all, isTraced: false }]);
    try {
      const { progress } = await withoutStates(one.node, () => bed.exportAll(indexed, request));
      const [first, last] = [blocks[0], blocks.at(-1)].map((each) =>
        inIndia(each?.block.timestampSeconds ?? 0),
      );
      expect(progress.notes).toEqual([expect.stringMatching(`were not traced, on ${first} to ${last}$`)]);
    } finally {
      await storeCoverage(indexed, one.chain, [{ ...all, isTraced: true }]);
    }
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

  describe('when it has taken too long', () => {
    const inputOf = (part: { durationMs?: number } = {}) => ({
      operationId: randomUUID(),
      request: bed.requestOf(),
      limits: NO_LIMITS,
      durationMs: SHORT_MS,
      ...part,
    });

    it('keeps its whole days, wherever it stood', async () => {
      const parts = await bed.indexParts((blocks) => [blocks.slice(0, 100), blocks.slice(280)]);
      const ends = new Set<string | null>();
      for (const durationMs of [SHORT_MS, 25]) {
        const input = inputOf({ durationMs });
        for (let turns = 1; ; turns = Math.ceil(turns * 1.5)) {
          const own = { ...input, operationId: randomUUID() };
          const storage = makeStorage();
          const exporter = bed.makeExporter(parts, storage);
          let progress = await exportTurn(exporter, own);
          for (let turn = 1; turn < turns && progress.state === 'more'; turn += 1) {
            progress = await exportTurn(exporter, own);
          }
          const kept = await exporter.keepWholeDays(own);
          ends.add(kept?.nextDate ?? null);
          if (kept === null) continue;
          const file = await readExport(parts, storage, own.operationId);
          expect(kept).toMatchObject({ rows: linesOf(file).length - 1, bytes: Buffer.byteLength(file) });
          expect(await problemsOf(parts, own.operationId, file)).toEqual([]);
          expect(await exportTurn(exporter, own)).toEqual(kept);
          expect(await exporter.keepWholeDays(own)).toEqual(kept);
          if (kept.nextDate === null) {
            expect(kept).toEqual(progress);
            expectWhole(file, chains, own.request);
            break;
          }
          expect(kept).toMatchObject({ state: 'truncated' });
          expectWhole(file, chains, { ...own.request, lastDate: addDays(kept.nextDate, -1) });
        }
      }
      expect(ends.size).toBeGreaterThan(3);
    });

    it('has nothing to keep before its first day is whole', async () => {
      const exporter = bed.makeExporter(await createMigratedDatabase(), makeStorage());
      const input = inputOf();
      expect(await exporter.keepWholeDays(input)).toBeNull();
      await exportTurn(exporter, input);
      expect(await exporter.keepWholeDays(input)).toBeNull();
    });

    it('has nothing to keep when its only day is not proved whole', async () => {
      const exporter = bed.makeExporter(indexed, makeStorage());
      const input = { ...inputOf(), request: bed.requestOf({ firstDate: TODAY, lastDate: TODAY }) };
      await exportTurn(exporter, input);
      expect(await exporter.keepWholeDays(input)).toBeNull();
    });

    it('gets no part from an activity that is still at work', async () => {
      const storage = new UnreliableStorage(makeStorage(), () => 1);
      const exporter = bed.makeExporter(indexed, storage);
      const input = inputOf({ durationMs: 100 });
      for (let whole = false; !whole;) {
        const progress = await exportTurn(exporter, { ...input, durationMs: SHORT_MS });
        whole = progress.day !== null && progress.day > addDays(input.request.firstDate, 2);
      }
      let kept: ExportProgress | null = null;
      storage.onFirstChunk = async () => {
        kept = await exporter.keepWholeDays(input);
      };
      await expect(exportTurn(exporter, { ...input, durationMs: LONG_MS })).rejects.toMatchObject({
        code: 'PART_TAKEN',
      });
      expect(kept).toMatchObject({ state: 'truncated' });
      const { nextDate, bytes } = await exportTurn(exporter, input);
      const file = await readExport(indexed, storage, input.operationId);
      expect(Buffer.byteLength(file)).toBe(bytes);
      expectWhole(file, chains, { ...input.request, lastDate: addDays(nextDate ?? '', -1) });
    });
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

/** Differences between a file and its proof on record. */
async function problemsOf(database: DataSource, operationId: string, text: string): Promise<string[]> {
  const [row] = await database.query<{ content: string }[]>(
    'SELECT content FROM export_proofs WHERE operation_id = $1',
    [operationId],
  );
  const signed = SignedProofSchema.parse(JSON.parse(row?.content ?? ''));
  const file = Readable.from([Buffer.from(text)]);
  return (await verifyExport({ signed, file, clients: new Map(), samples: 0 })).problems;
}
