import { beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { randomUUID } from 'node:crypto';
import type { EvmChainRef } from '../../src/platform/database/chains.js';
import { Database } from '../../src/platform/database/database.js';
import { CoverageRepository } from '../../src/indexes/engine/coverage/coverage.repository.js';
import type { IndexCoverage } from '../../src/exports/turns/index-coverage.js';
import { IndexedBlocksRepository } from '../../src/exports/turns/indexed-blocks.repository.js';
import { hashFor } from '../../sandbox/generated/evm-block.js';
import type { RecordedEvmBlock } from '../../sandbox/recording/evm-recording.js';
import type { EvmChainBehaviourInput, Sandbox } from '../../sandbox/sandbox.js';
import { eventually } from '../support/harness/eventually.js';
import {
  ExportBed,
  expectWhole,
  FIRST_DAY,
  LONG_MS,
  makeStorage,
  SHORT_MS,
  TODAY,
} from '../support/exports/export-bed.js';
import { makeRandom } from '../../sandbox/generated/evm-chain-generator.js';
import type { ExportChain } from '../support/exports/export-chain.js';
import {
  createEvmChains,
  exportTurn,
  NO_LIMITS,
  readExport,
  runExport,
} from '../support/exports/export-run.js';
import { createExporter } from '../support/exports/make-exporter.js';
import { NODE_FAILURES } from '../support/indexer.js';
import { forgetCoverage } from '../support/store-coverage.js';
import { UnreliableStorage } from '../support/exports/unreliable-storage.js';

describe('an export amid failures', () => {
  let bed: ExportBed;
  let chains: readonly ExportChain[];
  let one: ExportChain;
  let indexed: DataSource;

  beforeAll(async () => {
    bed = await ExportBed.start();
    ({ chains, one, indexed } = bed);
  });

  it('repeats nothing and loses nothing when storage, database or nodes fail at any moment', async () => {
    const parts = await bed.indexParts((blocks) => [blocks.slice(0, 40), blocks.slice(280)]);
    const request = bed.requestOf();
    const whole = await bed.exportAll(parts, request, { durationMs: SHORT_MS });
    const random = makeRandom(7);
    const storage = new UnreliableStorage(makeStorage(), random);
    const exporter = bed.makeExporter(parts, storage);
    const failures = new Set<string>();
    const exportAmidFailures = async (operationId: string): Promise<void> => {
      const input = { operationId, request, limits: NO_LIMITS, durationMs: SHORT_MS };
      for (let isEnded = false; !isEnded;) {
        one.node.setNodeBehaviour(random(4) === 0 ? NODE_FAILURES.unavailable : {});
        const abort = new AbortController();
        if (random(5) === 0) setImmediate(() => abort.abort(new Error('cancelled')));
        const broken = random(10) === 0 ? breakConnections(parts) : undefined;
        try {
          isEnded = (await exportTurn(exporter, input, abort.signal)).state !== 'more';
          // Killed between the record and the report: the next one does not know.
          if (random(10) === 0) failures.add('unreported');
        } catch (error) {
          failures.add(kindOfFailure(error));
        }
        await broken?.catch(() => undefined);
      }
      one.node.setNodeBehaviour({});
    };
    // How many turns an export takes, and what hits them, depends on the machine.
    const wanted = ['STORAGE_UNAVAILABLE', 'NODE_UNREACHABLE', CONNECTION_BROKEN, 'cancelled', 'unreported'];
    for (let round = 0; round < 10 && !wanted.every((kind) => failures.has(kind)); round += 1) {
      const operationId = randomUUID();
      await exportAmidFailures(operationId);
      expect(await readExport(parts, storage, operationId)).toBe(whole.file);
    }
    expect([...failures]).toEqual(expect.arrayContaining(wanted));
    // Nothing is left behind that holds a connection.
    await eventually('no connection is busy', async () => (await busyConnections(parts)) === 0);
  });

  it('leaves an export to whoever has recorded the part at hand', async () => {
    const input = {
      operationId: randomUUID(),
      request: bed.requestOf(),
      limits: NO_LIMITS,
      durationMs: SHORT_MS,
    };
    const storage = makeStorage();
    const [slow, quick] = [bed.makeExporter(indexed, storage), bed.makeExporter(indexed, storage)];
    for (let isEnded = false; !isEnded;) {
      const turns = await Promise.allSettled([exportTurn(slow, input), exportTurn(quick, input)]);
      const ended = turns.filter((turn) => turn.status === 'fulfilled');
      const failed = turns.filter((turn) => turn.status === 'rejected');
      expect(ended.length).toBeGreaterThan(0);
      for (const { reason } of failed) expect(reason).toMatchObject({ code: 'PART_TAKEN' });
      isEnded = ended.some(({ value }) => value.state !== 'more');
    }
    expectWhole(await readExport(indexed, storage, input.operationId), chains, input.request);
  });

  it('does not bring back an export whose files were removed', async () => {
    const input = {
      operationId: randomUUID(),
      request: bed.requestOf(),
      limits: NO_LIMITS,
      durationMs: LONG_MS,
    };
    await indexed.query(
      `INSERT INTO operations (operation_id, type, request_digest, status, message, row_count, byte_count, created_at, updated_at, files_removed)
       VALUES ($1, 'TRANSACTION_EXPORT_EVM', '', 'FAILED', 'cancelled', 0, 0, 0, 0, true)`,
      [input.operationId],
    );
    const turn = exportTurn(bed.makeExporter(indexed, makeStorage()), input);
    await expect(turn).rejects.toMatchObject({ code: 'PART_TAKEN' });
  });

  it('does not believe the tables once the index has given them up', async () => {
    const database = await bed.indexParts((blocks) => [[...blocks]]);
    const storage = makeStorage();
    const request = bed.requestOf();
    const input = { operationId: randomUUID(), request, limits: NO_LIMITS, durationMs: SHORT_MS };
    for (let turn = 0; turn < 12; turn += 1) await exportTurn(bed.makeExporter(database, storage), input);
    await database.query('TRUNCATE evm_blocks, evm_transactions, evm_transfers');
    for (const { chain } of chains) await forgetCoverage(database, chain);
    await runExport(bed.makeExporter(database, storage), input);
    expectWhole(await readExport(database, storage, input.operationId), chains, request);
  });

  it('notices tables that are emptied while it reads them', async () => {
    const database = await bed.indexParts((blocks) => [[...blocks]]);
    const db = new Database(database);
    const blocks = new EmptiedBlocks(db, new CoverageRepository(db));
    const input = {
      operationId: randomUUID(),
      request: bed.requestOf({ chainIds: ['9001'] }),
      limits: NO_LIMITS,
      durationMs: SHORT_MS,
    };
    const exporter = createExporter(database, createEvmChains([one.chain]), makeStorage(), blocks);
    await exportTurn(exporter, input);
    // Rows that are read afterwards are not those of the coverage.
    blocks.afterCoverage = () => forgetCoverage(database, one.chain);
    await expect(exportTurn(exporter, input)).rejects.toMatchObject({ code: 'INDEX_CHANGED' });
  });

  it.each<[string, (node: Sandbox) => void, string, string]>([
    [
      'another chain',
      (node) => node.setNodeBehaviour({ answers: { eth_chainId: '0x1' } }),
      'MALFORMED',
      TODAY,
    ],
    ['another history', (node) => node.cChain.replaceBlocks(unchained(node)), 'WRONG_PARENT', FIRST_DAY],
    ['fewer blocks than it says', (node) => node.setCChainBehaviour(LATE), 'NODE_BEHIND', TODAY],
  ])('exports nothing from a node of %s', async (_, spoil, code, firstDate) => {
    const parts = await bed.indexParts((blocks) => [blocks.slice(0, 300)]);
    const { blocks } = one.node.cChain.recording;
    spoil(one.node);
    try {
      const request = bed.requestOf({ chainIds: ['9001'], firstDate });
      await expect(bed.exportAll(parts, request)).rejects.toMatchObject({ code });
    } finally {
      one.node.cChain.replaceBlocks(blocks);
      one.node.setNodeBehaviour({});
      one.node.setCChainBehaviour({ kind: 'honest' });
    }
  });
});

const LATE: EvmChainBehaviourInput = { kind: 'late', height: 699, gives: 696 };

/** The blocks of a node, none of which follows the one before it. */
function unchained(node: Sandbox): RecordedEvmBlock[] {
  return node.cChain.recording.blocks.map(({ block, receipts, traces }) => {
    return { block: { ...block, parentHash: hashFor(123_456_789) }, receipts, traces };
  });
}

/** Somebody empties the tables as soon as it is known what they have. */
class EmptiedBlocks extends IndexedBlocksRepository {
  afterCoverage: () => Promise<void> = () => Promise.resolve();

  override async coverageOf(chain: EvmChainRef): Promise<IndexCoverage> {
    const coverage = await super.coverageOf(chain);
    await this.afterCoverage();
    return coverage;
  }
}

const CONNECTION_BROKEN = 'connection broken';
/** Postgres's error on a connection that somebody has terminated, if it still arrives. */
const ADMIN_SHUTDOWN = '57P01';

function kindOfFailure(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const code = 'code' in error ? String(error.code) : error.message;
  return code === ADMIN_SHUTDOWN || error.message.startsWith('Connection terminated')
    ? CONNECTION_BROKEN
    : code;
}

async function breakConnections(dataSource: DataSource): Promise<void> {
  await dataSource.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  );
}

/** Other connections to the same database that are in a transaction. */
async function busyConnections(dataSource: DataSource): Promise<number> {
  const [row] = await dataSource.query<{ count: number }[]>(
    `SELECT count(*)::int AS count FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'`,
  );
  return row?.count ?? -1;
}
