import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { randomUUID } from 'node:crypto';
import { formatCsvHeader } from '../../src/exports/rows/csv.js';
import { addDays, dayOf, startOf } from '../../src/exports/turns/days.js';
import {
  ExportBed,
  expectedRows,
  expectRows,
  expectSame,
  expectWhole,
  FIRST_DAY,
  LAST_DAY,
  linesOf,
  makeStorage,
  SHORT_MS,
  TODAY,
} from '../support/exports/export-bed.js';
import { setTip } from '../support/evm/evm-index.js';
import { type ExportChain } from '../support/exports/export-chain.js';
import { NODE_FAILURES } from '../support/indexer.js';
import { exportTurn, NO_LIMITS, readExport } from '../support/exports/export-run.js';
import { storeCoverage } from '../support/store-coverage.js';
import { createMigratedDatabase } from '../support/harness/database.js';
import { withoutStates } from '../support/sandbox/without-states.js';
import { pChainAt } from '../support/sandbox/p-chain-time.js';

describe('an export by days', () => {
  let bed: ExportBed;
  let chains: readonly ExportChain[];
  let one: ExportChain;
  let indexed: DataSource;

  beforeAll(async () => {
    bed = await ExportBed.start();
    ({ chains, one, indexed } = bed);
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
      for (let day = request.firstDate; day <= request.firstDate;) {
        day = (await exportTurn(exporter, input)).day ?? '9';
      }
      const kept = await exporter.keepWholeDays(input);
      expect(kept).toMatchObject({ state: 'truncated', nextDate: addDays(request.firstDate, 1) });
      expectWhole(await readExport(database, storage, input.operationId), chains.slice(1), {
        ...request,
        lastDate: request.firstDate,
      });
    });
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

  it('has nothing to keep after too long when its only day is not proved whole', async () => {
    const exporter = bed.makeExporter(indexed, makeStorage());
    const request = bed.requestOf({ firstDate: TODAY, lastDate: TODAY });
    const input = { operationId: randomUUID(), request, limits: NO_LIMITS, durationMs: SHORT_MS };
    await exportTurn(exporter, input);
    expect(await exporter.keepWholeDays(input)).toBeNull();
  });
});
