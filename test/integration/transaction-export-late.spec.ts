import { beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { SignedProofSchema } from '../../src/exports/proof/export-proof.js';
import { verifyExport } from '../../src/exports/proof/verify-export.js';
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { addDays } from '../../src/exports/turns/days.js';
import type { ExportProgress } from '../../workflows/contracts/export-transactions.js';
import {
  ExportBed,
  expectWhole,
  linesOf,
  LONG_MS,
  makeStorage,
  SHORT_MS,
} from '../support/exports/export-bed.js';
import { type ExportChain } from '../support/exports/export-chain.js';
import { exportTurn, NO_LIMITS, readExport } from '../support/exports/export-run.js';
import { createMigratedDatabase } from '../support/harness/database.js';
import { UnreliableStorage } from '../support/exports/unreliable-storage.js';

describe('an export that has taken too long', () => {
  let bed: ExportBed;
  let chains: readonly ExportChain[];
  let indexed: DataSource;

  beforeAll(async () => {
    bed = await ExportBed.start();
    ({ chains, indexed } = bed);
  });

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
      for (let turns = 1; ; turns = Math.ceil(turns * 1.2)) {
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
    expect(ends.size).toBe(3); // nothing yet or all, the first day, and the first nine
  });

  it('has nothing to keep before its first day is whole', async () => {
    const exporter = bed.makeExporter(await createMigratedDatabase(), makeStorage());
    const input = inputOf();
    expect(await exporter.keepWholeDays(input)).toBeNull();
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
