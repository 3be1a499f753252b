import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { DataSource } from 'typeorm';
import {
  directionOf,
  type ExportRow,
  formatCsvHeader,
  formatCsvRow,
} from '../../src/transaction-exports/csv.js';
import type { BlockWithMovements } from '../../src/avalanche/evm/movement-reader.js';
import { evmChainKey, type EvmChainRef, P_CHAIN } from '../../src/database/chains.js';
import { Database } from '../../src/database/database.js';
import { ExportStorage, ExportStorageError } from '../../src/export-storage/export-storage.js';
import { FolderStorage } from '../../src/export-storage/folder-storage.js';
import { addDays, dayOf, startOf, today } from '../../src/transaction-exports/days.js';
import { beginExport } from '../../src/transaction-exports/export-position.js';
import { CoverageRepository } from '../../src/indexing/coverage.repository.js';
import type { IndexCoverage } from '../../src/transaction-exports/index-coverage.js';
import { IndexedBlocksRepository } from '../../src/transaction-exports/indexed-blocks.repository.js';
import { TransactionExporter } from '../../src/transaction-exports/transaction-exporter.js';
import type {
  ExportProgress,
  ExportRequest,
  ExportTurnInput,
} from '../../workflows/contracts/export-transactions.js';
import { type ExportChain, randomNumbers, startExportChain } from '../support/export-chain.js';
import {
  createEvmChains,
  createExporter,
  exportTurn,
  NO_LIMITS,
  readExport,
  runExport,
} from '../support/export-run.js';
import { forgetCoverage, indexBlocks, storeCoverage } from '../support/export-tables.js';
import { eventually } from '../support/eventually.js';
import { createMigratedDatabase } from '../support/p-chain-index.js';
import { createTestFolder } from '../support/services.js';

const DAYS = 12;
const TODAY = today();
const FIRST_DAY = addDays(TODAY, 1 - DAYS);
/** Behind it are the blocks of today, which prove it whole. */
const LAST_DAY = addDays(TODAY, -1);
const LONG_MS = 10_000;
/** One step a turn. */
const SHORT_MS = 1;

const day = (number: number): string => addDays(FIRST_DAY, number);

/** The rows of a chain, straight from its blocks. */
function expectedRows({ chain, blocks, tokens }: ExportChain, request: ExportRequest): string[] {
  const ours = new Set(request.addresses.map(asAddress));
  return blocks.flatMap(({ block, movements }) => {
    const date = dayOf(block.timestampSeconds);
    if (date < request.firstDate || date > request.lastDate) return [];
    return movements.flatMap((movement) => {
      const direction = directionOf(movement, ours);
      if (direction === undefined) return [];
      const isToken = movement.kind.startsWith('ERC');
      const token = isToken ? tokens.find(({ contract }) => contract === movement.contract) : undefined;
      const transaction = block.transactions[movement.txIndex];
      if (transaction === undefined) throw new Error('a movement of no transaction');
      return formatCsvRow({
        chainId: chain.chainId,
        chainName: chain.name,
        height: block.height,
        timestampSeconds: block.timestampSeconds,
        movement,
        direction,
        isSuccess: transaction.isSuccess,
        methodId: transaction.methodId,
        symbol: isToken ? (token?.symbol ?? null) : chain.nativeSymbol,
        name: isToken ? (token?.name ?? null) : null,
        decimals: isToken ? (token?.decimals ?? null) : chain.nativeDecimals,
      });
    });
  });
}

function asAddress(text: string): `0x${string}` {
  return `0x${text.slice(2)}`;
}

function linesOf(file: string): string[] {
  return file
    .split('\r\n')
    .map((line) => `${line}\r\n`)
    .slice(0, -1);
}

/** Every row of every chain once and in order, and the chains in slices of days. */
function expectWhole(file: string, chains: readonly ExportChain[], request: ExportRequest): void {
  const [header, ...lines] = linesOf(file);
  expect(header).toBe(formatCsvHeader());
  expectRows(lines, chains, request);
}

function expectRows(lines: readonly string[], chains: readonly ExportChain[], request: ExportRequest): void {
  for (const chain of chains) {
    const own = lines.filter((line) => line.startsWith(`${chain.chain.chainId},`));
    expectSame(own, expectedRows(chain, request));
  }
  let latest = '';
  let latestOfSlice = '';
  for (const [index, line] of lines.entries()) {
    const [chainId = '', , , , dateTime = ''] = line.split(',');
    const [before = ''] = (lines[index - 1] ?? '').split(',');
    if (Number(chainId) < Number(before)) latest = latestOfSlice;
    const date = dateTime.slice(0, 10);
    if (latest !== '' && date <= latest)
      throw new Error(`row ${index} is of ${date}, after a slice up to ${latest}`);
    if (date > latestOfSlice) latestOfSlice = date;
  }
}

/** Shows the first lines that differ, not two whole files. */
function expectSame(lines: readonly string[], expected: readonly string[]): void {
  const at = lines.findIndex((line, index) => line !== expected[index]);
  if (at !== -1) expect(lines.slice(at, at + 3)).toEqual(expected.slice(at, at + 3));
  expect(lines.length).toBe(expected.length);
}

describe(TransactionExporter.name, () => {
  let chains: ExportChain[];
  let one: ExportChain;
  let indexed: DataSource;

  beforeAll(async () => {
    const options = { startSeconds: startOf(FIRST_DAY), days: DAYS };
    one = await startExportChain({ ...options, chainId: 9001n, seed: 1, blocks: 700 });
    chains = [one, await startExportChain({ ...options, chainId: 9002n, seed: 2, blocks: 300 })];
    indexed = await createMigratedDatabase();
    for (const { chain, blocks, tokens } of chains) await indexBlocks(indexed, chain, [blocks], tokens);
  });

  const requestOf = (part: Partial<ExportRequest> = {}): ExportRequest => ({
    addresses: one.people.slice(0, 4),
    chainIds: chains.map(({ chain }) => chain.chainId.toString()),
    firstDate: day(0),
    lastDate: LAST_DAY,
    ...part,
  });

  const makeStorage = (): FolderStorage => new FolderStorage(createTestFolder('exports'));

  const makeExporter = (database: DataSource, storage: ExportStorage): TransactionExporter =>
    createExporter(database, createEvmChains(chains.map(({ chain }) => chain)), storage);

  /** One export from its beginning to its end. */
  const exportAll = async (
    database: DataSource,
    request: ExportRequest,
    { durationMs = LONG_MS, limits = NO_LIMITS } = {},
  ): Promise<{ file: string; progress: ExportProgress }> => {
    const storage = makeStorage();
    const operationId = randomUUID();
    const exporter = makeExporter(database, storage);
    const progress = await runExport(exporter, { operationId, request, limits, durationMs });
    return { file: await readExport(database, storage, operationId), progress };
  };

  /** A database whose index has only these stretches of each chain. */
  const indexParts = async (cut: (blocks: readonly BlockWithMovements[]) => BlockWithMovements[][]) => {
    const database = await createMigratedDatabase();
    for (const { chain, blocks, tokens } of chains) await indexBlocks(database, chain, cut(blocks), tokens);
    return database;
  };

  it('writes indexed rows byte by byte as the formatter of rows does', async () => {
    const request = requestOf({ chainIds: ['9001'] });
    const { file, progress } = await exportAll(indexed, request);
    const rows = expectedRows(one, request);
    expect(rows.length).toBeGreaterThan(1_500);
    expectSame(linesOf(file), [formatCsvHeader(), ...rows]);
    expect(progress).toEqual({
      state: 'done',
      rows: rows.length,
      bytes: Buffer.byteLength(file),
      percentage: 100,
      day: null,
      chainId: null,
      nextDate: null,
      notes: [],
      hasGaps: false,
    });
    // Otherwise equal bytes would prove little.
    const kinds = ['NATIVE', 'INTERNAL', 'ERC20', 'ERC721', 'ERC1155', 'FEE'];
    const symbols = ["'=1+1", '"a""b"', '"x,y"'];
    for (const cell of [...kinds, ...symbols, 'SELF', 'failed', String(2n ** 256n - 1n)]) {
      expect([cell, rows.some((row) => row.includes(`,${cell},`))]).toEqual([cell, true]);
    }
  });

  it('has the same rows whatever addresses, days and lengths of turns', async () => {
    const random = randomNumbers(5);
    for (let round = 0; round < 12; round += 1) {
      const first = Math.floor(random() * DAYS) - 1;
      const count = 1 + Math.floor(random() * (one.people.length - 1));
      const request = requestOf({
        addresses: [...one.people].sort(() => random() - 0.5).slice(0, count),
        firstDate: day(first),
        lastDate: day(first + Math.floor(random() * DAYS)),
        ...(round % 3 === 0 ? { chainIds: ['9002'] } : {}),
      });
      const { file } = await exportAll(indexed, request, {
        durationMs: round % 2 === 0 ? SHORT_MS : LONG_MS,
      });
      const wanted = chains.filter(({ chain }) => request.chainIds.includes(chain.chainId.toString()));
      expectWhole(file, wanted, request);
    }
  });

  it('gives fees to whoever gets them', async () => {
    const burned = '0x0100000000000000000000000000000000000000';
    const request = requestOf({ addresses: [burned] });
    const { file } = await exportAll(indexed, request);
    expectWhole(file, chains, request);
    expect(linesOf(file).filter((line) => line.includes(',IN,FEE,')).length).toBeGreaterThan(500);
  });

  it('reads from the nodes what is not indexed, with the same rows', async () => {
    const request = requestOf();
    const nothing = await exportAll(await createMigratedDatabase(), request, { durationMs: 300 });
    expectWhole(nothing.file, chains, request);
    const parts = await indexParts((blocks) => [
      blocks.slice(90, 130),
      blocks.slice(200, 201),
      blocks.slice(210, 260),
    ]);
    for (const durationMs of [SHORT_MS, LONG_MS]) {
      const { file, progress } = await exportAll(parts, request, { durationMs });
      expectWhole(file, chains, request);
      expect(progress.notes).toEqual([]);
    }
  });

  it('has mints, and what atomic transactions bring and take, each at its place', async () => {
    const database = await indexParts((blocks) => [[...blocks]]);
    const { chain, people, blocks } = one;
    const [address = '0x'] = people;
    const height = 350;
    const { block } = blocks[height] ?? { block: undefined };
    if (block === undefined) throw new Error('no block');
    const avax = 'ab'.repeat(32);
    const other = 'cd'.repeat(32);
    await database.query(
      `INSERT INTO index_checkpoints (network, chain, height, block_id, block_time, state)
       VALUES ('fuji', $1, 0, '', 0, $2)`,
      [P_CHAIN, { networkId: 1337, avaxAssetId: avax }],
    );
    const key = evmChainKey(chain).toString();
    const bytes = (hex: string): Buffer => Buffer.from(hex.replace('0x', ''), 'hex');
    const zero = `0x${'00'.repeat(20)}` as const;
    await database.query(
      `INSERT INTO evm_transfers (chain_key, height, position, tx_index, block_time, kind, from_address, to_address, amount)
       VALUES ($1, $2, -1, -1, $3, 'MINT', $4, $5, 7)`,
      [key, height, block.timestampSeconds, bytes(zero), bytes(address)],
    );
    const atomic = [
      ['IMPORT', avax, '1500000000'],
      ['EXPORT', avax, '1'],
      ['IMPORT', other, '12345'],
    ] as const;
    const txHash = `0x${'ef'.repeat(32)}` as const;
    for (const [position, [kind, asset, amount]] of atomic.entries()) {
      await database.query(
        `INSERT INTO evm_atomic_transfers (chain_key, height, position, block_time, tx_hash, kind, address, asset_id, amount,
           blockchain_id) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, '')`,
        [
          key,
          height,
          position,
          block.timestampSeconds,
          bytes(txHash),
          kind,
          bytes(address),
          bytes(asset),
          amount,
        ],
      );
    }
    const request = requestOf({ addresses: [address], chainIds: ['9001'] });
    const { file } = await exportAll(database, request);
    const rowOf = (row: Partial<ExportRow>, movement: Partial<ExportRow['movement']>): string =>
      formatCsvRow({
        ...{ chainId: chain.chainId, chainName: chain.name, height: block.height },
        ...{ timestampSeconds: block.timestampSeconds, direction: 'IN', isSuccess: true, methodId: null },
        ...{ symbol: chain.nativeSymbol, name: null, decimals: chain.nativeDecimals },
        ...row,
        movement: {
          ...{ kind: 'IMPORT', txHash, txIndex: null, logIndex: null, batchIndex: null, tracePath: null },
          ...{ from: zero, to: address, contract: null, tokenId: null, amount: 0n },
          ...movement,
        },
      });
    const own = expectedRows({ ...one, blocks: blocks.slice(height, height + 1) }, request);
    const at = linesOf(file).findIndex((line) => line.split(',')[2] === String(height));
    expect(linesOf(file).slice(at, at + own.length + 4)).toEqual([
      rowOf({}, { kind: 'MINT', txHash: null, amount: 7n }),
      ...own,
      rowOf({}, { amount: 1_500_000_000n * 10n ** 9n }),
      rowOf({ direction: 'OUT' }, { kind: 'EXPORT', from: address, to: zero, amount: 10n ** 9n }),
      rowOf({ symbol: null, decimals: null }, { amount: 12_345n, tokenId: `0x${other}` }),
    ]);
  });

  it('repeats nothing and loses nothing when storage, database or nodes fail at any moment', async () => {
    const parts = await indexParts((blocks) => [blocks.slice(0, 40), blocks.slice(280)]);
    const request = requestOf();
    const whole = await exportAll(parts, request, { durationMs: SHORT_MS });
    const random = randomNumbers(7);
    const storage = new UnreliableStorage(makeStorage(), random);
    const exporter = makeExporter(parts, storage);
    const failures = new Set<string>();
    const exportAmidFailures = async (operationId: string): Promise<void> => {
      const input = { operationId, request, limits: NO_LIMITS, durationMs: SHORT_MS };
      for (let isEnded = false; !isEnded;) {
        one.mood.isAway = random() < 0.25;
        const abort = new AbortController();
        if (random() < 0.2) setImmediate(() => abort.abort(new Error('cancelled')));
        const broken = random() < 0.1 ? breakConnections(parts) : undefined;
        try {
          isEnded = (await exportTurn(exporter, input, abort.signal)).state !== 'more';
          // Killed between the record and the report: the next one does not know.
          if (random() < 0.1) failures.add('unreported');
        } catch (error) {
          failures.add(kindOfFailure(error));
        }
        await broken?.catch(() => undefined);
      }
      one.mood.isAway = false;
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
      request: requestOf(),
      limits: NO_LIMITS,
      durationMs: SHORT_MS,
    };
    const storage = makeStorage();
    const [slow, quick] = [makeExporter(indexed, storage), makeExporter(indexed, storage)];
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
    const input = { operationId: randomUUID(), request: requestOf(), limits: NO_LIMITS, durationMs: LONG_MS };
    await indexed.query(
      `INSERT INTO operations (operation_id, type, request_digest, status, message, row_count, byte_count, created_at, updated_at, files_removed)
       VALUES ($1, 'TRANSACTION_EXPORT_EVM', '', 'FAILED', 'cancelled', 0, 0, 0, 0, true)`,
      [input.operationId],
    );
    const turn = exportTurn(makeExporter(indexed, makeStorage()), input);
    await expect(turn).rejects.toMatchObject({ code: 'PART_TAKEN' });
  });

  it('says the same again once it has ended', async () => {
    const input = { operationId: randomUUID(), request: requestOf(), limits: NO_LIMITS, durationMs: LONG_MS };
    const storage = makeStorage();
    const ended = await runExport(makeExporter(indexed, storage), input);
    const file = await readExport(indexed, storage, input.operationId);
    expect(await exportTurn(makeExporter(indexed, storage), input)).toEqual(ended);
    expect(await readExport(indexed, storage, input.operationId)).toBe(file);
  });

  it('reports how far it is', async () => {
    const input = { operationId: randomUUID(), request: requestOf(), limits: NO_LIMITS, durationMs: LONG_MS };
    const reports: ExportProgress[] = [];
    const { signal } = new AbortController();
    const ended = await makeExporter(indexed, makeStorage()).exportTurn(input, {
      signal,
      onProgress: (progress) => reports.push(progress),
    });
    const percentages = reports.map(({ percentage }) => percentage);
    expect(percentages).toEqual([...percentages].sort((a, b) => a - b));
    expect(new Set(percentages).size).toBeGreaterThan(5);
    expect(new Set(reports.map(({ chainId }) => chainId))).toEqual(new Set(['9001', '9002', null]));
    expect(reports.every((report) => report.day !== null && report.day >= FIRST_DAY)).toBe(true);
    expect(ended.rows).toBe(reports.at(-1)?.rows);
  });

  it.each([
    ['rows', { ...NO_LIMITS, maxRows: 300 }, true],
    ['rows of blocks that are not indexed', { ...NO_LIMITS, maxRows: 300 }, false],
    ['blocks read from nodes', { ...NO_LIMITS, maxScannedBlocks: 100 }, false],
  ])('ends behind a whole day after too many %s, and goes on from the next', async (_, limits, isIndexed) => {
    const database = isIndexed ? indexed : await createMigratedDatabase();
    const request = requestOf();
    const rows: string[] = [];
    let firstDate: string | null = request.firstDate;
    let files = 0;
    while (firstDate !== null) {
      const { file, progress } = await exportAll(database, { ...request, firstDate }, { limits });
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

  describe('a day that no later block proves whole', () => {
    const newest = (height: number, date: string) =>
      expect.stringMatching(
        new RegExp(
          `^Chain 9001 \\(9001\\): ${date} may be incomplete, as its newest known block was ${height} of ${date} `,
        ),
      );

    it('is in the file as far as it is known, and named', async () => {
      const request = requestOf({ chainIds: ['9001'], lastDate: TODAY });
      const { file, progress } = await exportAll(indexed, request);
      expectSame(linesOf(file).slice(1), expectedRows(one, request));
      expect(progress).toMatchObject({ state: 'truncated', nextDate: TODAY, hasGaps: true });
      expect(progress.notes).toEqual([newest(699, TODAY)]);
    });

    it('is the last one of an export until a day in the future', async () => {
      const request = requestOf({ chainIds: ['9001'], lastDate: addDays(TODAY, 3_000) });
      const { file, progress } = await exportAll(indexed, request);
      expectSame(linesOf(file).slice(1), expectedRows(one, request));
      expect(progress).toMatchObject({ state: 'truncated', nextDate: TODAY });
    });

    it('is the last one that is indexed when the nodes are away', async () => {
      const request = requestOf({ chainIds: ['9001'], lastDate: TODAY });
      one.mood.isAway = true;
      try {
        const { file, progress } = await exportAll(indexed, request);
        expectSame(linesOf(file).slice(1), expectedRows(one, request));
        expect(progress).toMatchObject({ state: 'truncated', nextDate: TODAY, notes: [newest(699, TODAY)] });
        // What a day that is over had can be known, so it is waited for.
        const behind = await indexParts((blocks) => [blocks.slice(0, 300)]);
        await expect(exportAll(behind, request)).rejects.toMatchObject({ code: 'NODE_UNREACHABLE' });
      } finally {
        one.mood.isAway = false;
      }
    });

    it.each([
      ['and nothing is indexed', () => createMigratedDatabase()],
      ['and the index ends there too', () => indexParts((blocks) => [blocks.slice(0, 400)])],
      ['and the index ends before', () => indexParts((blocks) => [blocks.slice(100, 300)])],
    ])('may be long over, with a node that stays behind %s', async (_, makeDatabase) => {
      const tip = 399;
      const date = dayOf(one.blocks[tip]?.block.timestampSeconds ?? 0);
      expect(date < addDays(LAST_DAY, -1)).toBe(true);
      const { mood } = one;
      const { tip: realTip } = mood;
      mood.tip = tip;
      try {
        const request = requestOf();
        const { file, progress } = await exportAll(await makeDatabase(), request);
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
        mood.tip = realTip;
      }
    });

    it('is not one whose end an indexed block proves, whatever the nodes say', async () => {
      one.mood.isAway = true;
      try {
        const { progress } = await exportAll(indexed, requestOf({ chainIds: ['9001'] }));
        expect(progress).toMatchObject({ state: 'done', nextDate: null, hasGaps: false });
      } finally {
        one.mood.isAway = false;
      }
    });
  });

  it('says when internal transfers or the first days are missing', async () => {
    const database = await createMigratedDatabase();
    const request = requestOf({ chainIds: ['9002'], firstDate: addDays(FIRST_DAY, -40) });
    const [, other] = chains;
    if (other === undefined) throw new Error('no chain');
    other.mood.hasTracer = false;
    try {
      const { file, progress } = await exportAll(database, request);
      const rows = expectedRows(other, request).filter((row) => !row.includes(',INTERNAL,'));
      // Blocks of plain transfers have none, and need no trace.
      expectSame(linesOf(file).slice(1), rows);
      expect(progress).toMatchObject({ state: 'done', nextDate: null, hasGaps: true });
      const days = other.blocks
        .filter(({ movements }) => movements.some(({ kind }) => kind === 'INTERNAL'))
        .map(({ block }) => dayOf(block.timestampSeconds))
        .filter((date) => date <= LAST_DAY);
      expect(progress.notes).toEqual([
        `Chain 9002 (9002): its first block is later than ${request.firstDate}`,
        expect.stringMatching(
          new RegExp(
            `^Chain 9002 \\(9002\\): internal transfers of some or all blocks are not in the file, because they were not traced, on ${days[0]} .*${days.at(-1)}$`,
          ),
        ),
      ]);
    } finally {
      other.mood.hasTracer = true;
    }
    const cut = 150n;
    const from = dayOf(other.blocks[150]?.block.timestampSeconds ?? 0);
    await storeCoverage(indexed, other.chain, [
      { from: 0n, to: cut - 1n, isTraced: true },
      { from: cut, to: 299n, isTraced: false },
    ]);
    const { progress } = await exportAll(indexed, { ...request, firstDate: FIRST_DAY });
    // Quiet days are in no range.
    expect(progress.notes).toEqual([
      expect.stringMatching(
        new RegExp(`^Chain 9002 \\(9002\\): internal transfers .* not traced, on ${from} to .*${LAST_DAY}$`),
      ),
    ]);
    await storeCoverage(indexed, other.chain, [{ from: 0n, to: 299n, isTraced: true }]);
  });

  describe('that has taken too long', () => {
    const inputOf = (part: Partial<ExportTurnInput> = {}): ExportTurnInput => ({
      operationId: randomUUID(),
      request: requestOf(),
      limits: NO_LIMITS,
      durationMs: SHORT_MS,
      ...part,
    });

    it('keeps its whole days, wherever it stood', async () => {
      const parts = await indexParts((blocks) => [blocks.slice(0, 100), blocks.slice(280)]);
      const ends = new Set<string | null>();
      for (const durationMs of [SHORT_MS, 25]) {
        const input = inputOf({ durationMs });
        for (let turns = 1; ; turns += 3) {
          const own = { ...input, operationId: randomUUID() };
          const storage = makeStorage();
          const exporter = makeExporter(parts, storage);
          let progress = await exportTurn(exporter, own);
          for (let turn = 1; turn < turns && progress.state === 'more'; turn += 1) {
            progress = await exportTurn(exporter, own);
          }
          const kept = await exporter.keepWholeDays(own);
          ends.add(kept?.nextDate ?? null);
          if (kept === null) continue;
          const file = await readExport(parts, storage, own.operationId);
          expect(kept).toMatchObject({ rows: linesOf(file).length - 1, bytes: Buffer.byteLength(file) });
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
      expect(ends.size).toBeGreaterThan(4);
    });

    it('has nothing to keep before its first day is whole', async () => {
      const exporter = makeExporter(await createMigratedDatabase(), makeStorage());
      const input = inputOf();
      expect(await exporter.keepWholeDays(input)).toBeNull();
      await exportTurn(exporter, input);
      expect(await exporter.keepWholeDays(input)).toBeNull();
    });

    it('has nothing to keep when its only day is not proved whole', async () => {
      const exporter = makeExporter(indexed, makeStorage());
      const input = inputOf({ request: requestOf({ firstDate: TODAY, lastDate: TODAY }) });
      await exportTurn(exporter, input);
      expect(await exporter.keepWholeDays(input)).toBeNull();
    });

    it('gets no part of somebody who is still at work', async () => {
      const storage = new UnreliableStorage(makeStorage(), () => 1);
      const exporter = makeExporter(indexed, storage);
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

  it('goes on as it was begun with a file of an earlier version, whose parts are stored as they are', async () => {
    const storage = makeStorage();
    const exporter = makeExporter(indexed, storage);
    const input = {
      operationId: randomUUID(),
      request: requestOf(),
      limits: NO_LIMITS,
      durationMs: SHORT_MS,
    };
    const header = Buffer.from(formatCsvHeader());
    await storage.write(`${input.operationId}/0-old`, Readable.from([header]));
    const { gaps: _, ...position } = beginExport(input.request);
    await indexed.query(
      `INSERT INTO export_parts (operation_id, part, storage_key, bytes, rows, position_after)
       VALUES ($1, 0, $2, $3, 0, $4)`,
      [input.operationId, `${input.operationId}/0-old`, header.length, position],
    );
    await runExport(exporter, input);
    expectWhole(await readExport(indexed, storage, input.operationId), chains, input.request);
    const [row] = await indexed.query<{ count: string }[]>(
      'SELECT count(*) FROM export_parts WHERE operation_id = $1 AND stored_bytes IS NOT NULL',
      [input.operationId],
    );
    expect(row?.count).toBe('0');
  });

  it('does not believe the tables once the index has given them up', async () => {
    const database = await indexParts((blocks) => [[...blocks]]);
    const storage = makeStorage();
    const request = requestOf();
    const input = { operationId: randomUUID(), request, limits: NO_LIMITS, durationMs: SHORT_MS };
    for (let turn = 0; turn < 12; turn += 1) await exportTurn(makeExporter(database, storage), input);
    await database.query('TRUNCATE evm_blocks, evm_transactions, evm_transfers');
    for (const { chain } of chains) await forgetCoverage(database, chain);
    await runExport(makeExporter(database, storage), input);
    expectWhole(await readExport(database, storage, input.operationId), chains, request);
  });

  it('notices tables that are emptied while it reads them', async () => {
    const database = await indexParts((blocks) => [[...blocks]]);
    const db = new Database(database);
    const blocks = new EmptiedBlocks(db, new CoverageRepository(db));
    const input = {
      operationId: randomUUID(),
      request: requestOf({ chainIds: ['9001'] }),
      limits: NO_LIMITS,
      durationMs: SHORT_MS,
    };
    const exporter = createExporter(database, createEvmChains([one.chain]), makeStorage(), blocks);
    await exportTurn(exporter, input);
    // What is read afterwards is not what the coverage said.
    blocks.afterCoverage = () => forgetCoverage(database, one.chain);
    await expect(exportTurn(exporter, input)).rejects.toMatchObject({ code: 'INDEX_CHANGED' });
  });

  it.each([
    ['another chain', (chain: ExportChain) => (chain.mood.chainId = 1n), 'MALFORMED'],
    ['another history', (chain: ExportChain) => (chain.mood.isForked = true), 'WRONG_PARENT'],
    ['fewer blocks than it says', (chain: ExportChain) => (chain.mood.isLagging = true), 'NODE_BEHIND'],
  ])('exports nothing from a node of %s', async (_, spoil, code) => {
    const parts = await indexParts((blocks) => [blocks.slice(0, 300)]);
    const mood = { ...one.mood };
    spoil(one);
    try {
      const request = requestOf({ chainIds: ['9001'], firstDate: TODAY });
      await expect(exportAll(parts, request)).rejects.toMatchObject({ code });
    } finally {
      Object.assign(one.mood, mood);
    }
  });
});

/** Somebody empties the tables as soon as it is known what they have. */
class EmptiedBlocks extends IndexedBlocksRepository {
  afterCoverage: () => Promise<void> = () => Promise.resolve();

  override async coverageOf(chain: EvmChainRef): Promise<IndexCoverage> {
    const coverage = await super.coverageOf(chain);
    await this.afterCoverage();
    return coverage;
  }
}

/** Fails now and then: before it has taken anything, in the middle, or after everything is kept. */
class UnreliableStorage extends ExportStorage {
  readonly location = 'unreliable';
  onFirstChunk: () => Promise<void> = () => Promise.resolve();

  constructor(
    private readonly storage: ExportStorage,
    private readonly random: () => number,
  ) {
    super();
  }

  async write(key: string, content: AsyncIterable<Uint8Array>, options?: { signal?: AbortSignal }) {
    if (this.random() < 0.1) throw away();
    const breaksAt = this.random() < 0.1 ? 1 : Infinity;
    const bytes = await this.storage.write(key, this.interrupted(content, breaksAt), options);
    if (this.random() < 0.1) throw away();
    return bytes;
  }

  private async *interrupted(content: AsyncIterable<Uint8Array>, breaksAt: number) {
    let chunks = 0;
    for await (const chunk of content) {
      if (chunks === 0) await this.onFirstChunk();
      chunks += 1;
      yield chunk;
      if (chunks >= breaksAt) throw away();
    }
  }

  read(...query: Parameters<ExportStorage['read']>): AsyncIterable<Uint8Array> {
    return this.storage.read(...query);
  }

  list(): ReturnType<ExportStorage['list']> {
    return this.storage.list();
  }

  removeAll(operationId: string): Promise<void> {
    return this.storage.removeAll(operationId);
  }
}

function away(): ExportStorageError {
  return new ExportStorageError('STORAGE_UNAVAILABLE', 'away');
}

const CONNECTION_BROKEN = 'connection broken';
/** What Postgres tells a connection that somebody has terminated, if it still hears of it. */
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
