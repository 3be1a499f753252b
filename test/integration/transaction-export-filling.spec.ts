import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { makeRandom } from '../../sandbox/generated/evm-chain-generator.js';
import { ExportBed, expectWhole, makeStorage, SHORT_MS } from '../support/exports/export-bed.js';
import { indexBlocks } from '../support/exports/export-tables.js';
import { exportTurn, NO_LIMITS, readExport } from '../support/exports/export-run.js';
import { createMigratedDatabase } from '../support/harness/database.js';

describe('an export of blocks that an index gets to while it is under way', () => {
  let bed: ExportBed;

  beforeAll(async () => {
    bed = await ExportBed.start();
  });

  it.each([1, 2, 5])('has each row once, wherever they are indexed: %d', async (seed) => {
    const random = makeRandom(seed);
    const database = await createMigratedDatabase();
    const storage = makeStorage();
    const exporter = bed.makeExporter(database, storage);
    const request = bed.requestOf();
    const input = { operationId: randomUUID(), request, limits: NO_LIMITS, durationMs: SHORT_MS };
    // Stretches of each chain that are not indexed yet.
    const left = bed.chains.flatMap(({ chain, blocks, tokens }) => {
      const widths = Array.from({ length: 12 }, () => random(blocks.length / 6));
      const ends = widths.map(
        (width, index) => width + widths.slice(0, index).reduce((sum, each) => sum + each, 0),
      );
      return ends.map((end, index) => ({ chain, tokens, blocks: blocks.slice(ends[index - 1] ?? 0, end) }));
    });
    let turns = 0;
    for (let isEnded = false; !isEnded; turns += 1) {
      isEnded = (await exportTurn(exporter, input)).state !== 'more';
      if (random(3) !== 1) continue;
      const [next] = left.splice(random(left.length) - 1, 1);
      if (next !== undefined && next.blocks.length > 0) {
        await indexBlocks(database, next.chain, [next.blocks], next.tokens);
      }
    }
    expect(turns).toBeGreaterThan(20);
    expectWhole(await readExport(database, storage, input.operationId), bed.chains, request);
  });
});
