import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { makeRandom, type Random } from '../../sandbox/generated/evm-chain-generator.js';
import { EvmClient } from '../../src/avalanche/evm/rpc/evm-client.js';
import { SignedProofSchema } from '../../src/exports/proof/export-proof.js';
import { verifyExport } from '../../src/exports/proof/verify-export.js';
import { ExportBed, expectWhole, makeStorage, SHORT_MS } from '../support/exports/export-bed.js';
import { indexBlocks } from '../support/exports/export-tables.js';
import { exportTurn, NO_LIMITS, readExport } from '../support/exports/export-run.js';
import { onCleanup } from '../support/harness/cleanup.js';
import { createMigratedDatabase } from '../support/harness/database.js';
import type { ExportChain } from '../support/exports/export-chain.js';
import { forgetCoverage } from '../support/store-coverage.js';
import { NODE_PATIENCE_MS } from '../support/node-patience.js';

describe('an export of blocks that an index gets to while it is under way', () => {
  let bed: ExportBed;
  let client: EvmClient;

  beforeAll(async () => {
    bed = await ExportBed.start();
    client = EvmClient.connect({ urls: bed.one.chain.rpcUrls, timeoutMs: NODE_PATIENCE_MS });
    onCleanup(() => client.close());
  });

  it.each([1, 4])(
    'has each row once, whatever is indexed, emptied or done twice between two turns: seed %d',
    async (seed) => {
      const random = makeRandom(seed);
      const database = await createMigratedDatabase();
      const storage = makeStorage();
      const exporter = bed.makeExporter(database, storage);
      const request = bed.requestOf();
      const input = { operationId: randomUUID(), request, limits: NO_LIMITS, durationMs: SHORT_MS };
      let left = stretchesOf(bed.chains, random);
      let turns = 0;
      for (let isEnded = false; !isEnded; turns += 1) {
        const racers = random(6) === 0 ? [exporter, exporter] : [exporter];
        const ends = await Promise.allSettled(racers.map((each) => exportTurn(each, input)));
        for (const end of ends) {
          if (end.status === 'fulfilled') isEnded ||= end.value.state !== 'more';
          else expect(end.reason).toMatchObject({ code: 'PART_TAKEN' });
        }
        if (random(3) === 0) {
          const [next] = left.splice(random(left.length), 1);
          if (next !== undefined) await indexBlocks(database, next.chain, [next.blocks], next.tokens);
        }
        if (random(40) === 0) {
          await database.query(
            'TRUNCATE evm_blocks, evm_transactions, evm_transfers, evm_internal_transfers',
          );
          for (const { chain } of bed.chains) await forgetCoverage(database, chain);
          left = stretchesOf(bed.chains, random);
        }
      }
      expect(turns).toBeGreaterThan(20);
      const file = await readExport(database, storage, input.operationId);
      expectWhole(file, bed.chains, request);
      const [row] = await database.query<{ content: string }[]>('SELECT content FROM export_proofs');
      const signed = SignedProofSchema.parse(JSON.parse(row?.content ?? ''));
      const clients = new Map([['9001', client]]);
      const found = await verifyExport({
        signed,
        file: Readable.from([Buffer.from(file)]),
        clients,
        samples: 50,
      });
      expect(found.problems).toEqual([]);
    },
  );
});

/** Neighbours that are indexed together, of all chains; half of them without their internal transfers. */
function stretchesOf(chains: readonly ExportChain[], random: Random) {
  return chains.flatMap(({ chain, blocks, tokens }) => {
    const ends = Array.from({ length: 11 }, () => random(blocks.length)).sort((a, b) => a - b);
    return [...ends, blocks.length].flatMap((end, index) => {
      const isTraced = random(2) === 0;
      const own = blocks.slice(ends[index - 1] ?? 0, end).map((block) => ({ ...block, isTraced }));
      return own.length === 0 ? [] : [{ chain, tokens, blocks: own }];
    });
  });
}
