import { expect, jest } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { directionOf, formatCsvHeader, formatCsvRow } from '../../../src/exports/rows/csv.js';
import type { BlockWithMovements } from '../../../src/avalanche/evm/transfers/movement-reader.js';
import type { ExportStorage } from '../../../src/exports/storage/export-storage.js';
import { FolderStorage } from '../../../src/exports/storage/folder-storage.js';
import { addDays, dayOf, startOf, todayIn } from '../../../src/exports/turns/days.js';
import type { TransactionExporter } from '../../../src/exports/transaction-exporter.js';
import type { EvmExportRequest, ExportProgress } from '../../../workflows/contracts/export-transactions.js';
import { type ExportChain, startExportChain } from './export-chain.js';
import { createEvmChains, NO_LIMITS, readExport, runExport } from './export-run.js';
import { createExporter } from './make-exporter.js';
import { indexBlocks } from './export-tables.js';
import { createMigratedDatabase } from '../harness/database.js';
import { PATIENCE_MS } from '../harness/eventually.js';
import { createTestFolder } from '../harness/services.js';

export const DAYS = 12;
export const TODAY = todayIn('UTC');
const toNoonMs = (startOf(TODAY) + 43_200) * 1_000 - Date.now();
const realNow = Date.now;
// It is noon, so that no day ends while a spec is at it.
jest.spyOn(Date, 'now').mockImplementation(() => realNow() + toNoonMs);
export const FIRST_DAY = addDays(TODAY, 1 - DAYS);
/** Behind it are the blocks of today, which prove it whole. */
export const LAST_DAY = addDays(TODAY, -1);
/** Longer than any of its exports takes. */
export const LONG_MS = PATIENCE_MS;
/** One step a turn. */
export const SHORT_MS = 1;

export const day = (number: number): string => addDays(FIRST_DAY, number);

export const makeStorage = (): FolderStorage => new FolderStorage(createTestFolder('exports'));

/** Two chains with blocks of these days, from nodes and in an index. */
export class ExportBed {
  private constructor(
    readonly chains: readonly ExportChain[],
    readonly one: ExportChain,
    readonly other: ExportChain,
    /** Has all of them. */
    readonly indexed: DataSource,
  ) {}

  static async start(): Promise<ExportBed> {
    const options = { startSeconds: startOf(FIRST_DAY), days: DAYS };
    const one = await startExportChain({ ...options, chainId: 9001n, seed: 1, blocks: 700 });
    const other = await startExportChain({ ...options, chainId: 9002n, seed: 2, blocks: 300 });
    const chains = [one, other];
    const indexed = await createMigratedDatabase();
    for (const { chain, blocks, tokens } of chains) await indexBlocks(indexed, chain, [blocks], tokens);
    return new ExportBed(chains, one, other, indexed);
  }

  requestOf(part: Partial<EvmExportRequest> = {}): EvmExportRequest {
    return {
      type: 'TRANSACTION_EXPORT_EVM',
      addresses: this.one.people.slice(0, 4),
      signers: [],
      chainIds: this.chains.map(({ chain }) => chain.chainId.toString()),
      firstDate: day(0),
      lastDate: LAST_DAY,
      timeZone: 'UTC',
      format: 'standard',
      ...part,
    };
  }

  makeExporter(database: DataSource, storage: ExportStorage): TransactionExporter {
    return createExporter(database, createEvmChains(this.chains.map(({ chain }) => chain)), storage);
  }

  /** One export from its beginning to its end. */
  async exportAll(
    database: DataSource,
    request: EvmExportRequest,
    { durationMs = LONG_MS, limits = NO_LIMITS } = {},
  ): Promise<{ file: string; progress: ExportProgress }> {
    const storage = makeStorage();
    const operationId = randomUUID();
    const exporter = this.makeExporter(database, storage);
    const progress = await runExport(exporter, { operationId, request, limits, durationMs });
    return { file: await readExport(database, storage, operationId), progress };
  }

  /** A database whose index has only these stretches of each chain. */
  async indexParts(
    cut: (blocks: readonly BlockWithMovements[]) => BlockWithMovements[][],
  ): Promise<DataSource> {
    const database = await createMigratedDatabase();
    for (const { chain, blocks, tokens } of this.chains) {
      await indexBlocks(database, chain, cut(blocks), tokens);
    }
    return database;
  }
}

/** The rows of a chain, straight from its blocks. */
export function expectedRows({ chain, blocks, tokens }: ExportChain, request: EvmExportRequest): string[] {
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

export function linesOf(file: string): string[] {
  return file
    .split('\r\n')
    .map((line) => `${line}\r\n`)
    .slice(0, -1);
}

/** Every row of every chain once and in order, and the chains in slices of days. */
export function expectWhole(file: string, chains: readonly ExportChain[], request: EvmExportRequest): void {
  const [header, ...lines] = linesOf(file);
  expect(header).toBe(formatCsvHeader());
  expectRows(lines, chains, request);
}

export function expectRows(
  lines: readonly string[],
  chains: readonly ExportChain[],
  request: EvmExportRequest,
): void {
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
    if (latest !== '' && date <= latest) {
      throw new Error(`row ${index} is of ${date}, after a slice up to ${latest}`);
    }
    if (date > latestOfSlice) latestOfSlice = date;
  }
}

/** Shows the first lines that differ, not two whole files. */
export function expectSame(lines: readonly string[], expected: readonly string[]): void {
  const at = lines.findIndex((line, index) => line !== expected[index]);
  if (at !== -1) expect(lines.slice(at, at + 3)).toEqual(expected.slice(at, at + 3));
  expect(lines.length).toBe(expected.length);
}

function asAddress(text: string): `0x${string}` {
  return `0x${text.slice(2)}`;
}
