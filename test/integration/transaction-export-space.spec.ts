import { beforeAll, describe, expect, it } from '@jest/globals';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { FolderStorage } from '../../src/exports/storage/folder-storage.js';
import type { ExportTurnInput } from '../../workflows/contracts/export-transactions.js';
import { ExportBed, expectWhole, LONG_MS, SHORT_MS } from '../support/exports/export-bed.js';
import { createEvmChains, exportTurn, NO_LIMITS, readExport } from '../support/exports/export-run.js';
import { createExporter, createSpace } from '../support/exports/make-exporter.js';
import { createTestFolder } from '../support/harness/services.js';
import { insertOperation } from '../support/http/download-api.js';

const EXPORTS = 40;
const DISK_BYTES = 10_000_000;
/** More than a step of these exports takes, and a turn has one. */
const TURN_BYTES = 10_000;
const TURNS_AT_ONCE = 4;

describe('exports on a disk that is nearly full', () => {
  let bed: ExportBed;

  beforeAll(async () => {
    bed = await ExportBed.start();
  });

  it('wait below the mark, fail for no other reason, and go on when there is room', async () => {
    const { indexed, chains } = bed;
    const folder = createTestFolder('exports');
    const storage = new FolderStorage(folder);
    const request = bed.requestOf();
    let diskBytes = DISK_BYTES;
    let highest = 0;
    const readDisk = async () => {
      const used = 0.94 * DISK_BYTES + (await bytesIn(folder));
      highest = Math.max(highest, used);
      return { used, total: diskBytes };
    };
    /** Two processes. */
    const exporters = [0, 1].map(() => {
      const space = Object.assign(createSpace(indexed, { EXPORT_STORAGE_URL: folder }), {
        readDisk,
        turnBytes: TURN_BYTES,
      });
      return createExporter(
        indexed,
        createEvmChains(chains.map(({ chain }) => chain)),
        storage,
        undefined,
        space,
      );
    });
    const open = new Set<string>();
    for (let count = 0; count < EXPORTS; count += 1) {
      open.add((await insertOperation(indexed, storage, [], { status: 'RUNNING' })).operationId);
    }
    const all = [...open];
    const failures = new Set<unknown>();
    let stored = 0;

    const turn = async (
      exporter: (typeof exporters)[number],
      operationId: string,
      durationMs: number,
    ): Promise<void> => {
      const input: ExportTurnInput = { operationId, request, limits: NO_LIMITS, durationMs };
      try {
        if ((await exportTurn(exporter, input)).state !== 'more') open.delete(operationId);
        stored += 1;
      } catch (error) {
        failures.add(error instanceof Error && 'code' in error ? error.code : error);
      }
      await readDisk();
    };
    /** A turn of each, some at a time; how many of them have stored anything. */
    const round = async (durationMs: number): Promise<number> => {
      const waiting = [...open];
      stored = 0;
      const work = async (exporter: (typeof exporters)[number]) => {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
          await turn(exporter, next, durationMs);
        }
      };
      await Promise.all(
        exporters.flatMap((exporter) => Array.from({ length: TURNS_AT_ONCE }, () => work(exporter))),
      );
      return stored;
    };

    while ((await round(SHORT_MS)) > 0);
    expect([...failures]).toEqual(['STORAGE_FULL']);
    expect(open.size).toBe(EXPORTS);
    expect(highest).toBeLessThan(0.95 * DISK_BYTES);
    expect(highest).toBeGreaterThan(0.94 * DISK_BYTES);

    diskBytes *= 10;
    while (open.size > 0) expect(await round(LONG_MS)).toBeGreaterThan(0);
    for (const operationId of [all[0], all.at(-1)]) {
      expectWhole(await readExport(indexed, storage, operationId ?? ''), chains, request);
    }
  });
});

async function bytesIn(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true });
  const sizes = await Promise.all(
    names.map((name) =>
      stat(join(folder, name)).then(
        (found) => (found.isFile() ? found.size : 0),
        () => 0, // renamed meanwhile
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
