import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { directionOf, formatCsvHeader, formatCsvRow } from '../../src/avalanche/evm/csv.js';
import type { Address } from '../../src/avalanche/evm/hex-values.js';
import { FolderStorage } from '../../src/export-storage/folder-storage.js';
import { TransactionExporter } from '../../src/transaction-exports/transaction-exporter.js';
import type { ExportRequest } from '../../workflows/contracts/export-transactions.js';
import { type ExportChain, randomNumbers, startExportChain } from '../support/export-chain.js';
import { createEvmChains, createExporter, NO_LIMITS, readExport, runExport } from '../support/export-run.js';
import { indexBlocks } from '../support/export-tables.js';
import { createMigratedDatabase } from '../support/p-chain-index.js';
import { createTestFolder } from '../support/services.js';

const DAY_SECONDS = 86_400;
const FIRST_DAY = '2026-01-01';
const START = Date.parse(`${FIRST_DAY}T00:00:00Z`) / 1000;
const DAYS = 12;

const day = (number: number): string =>
  new Date((START + number * DAY_SECONDS) * 1000).toISOString().slice(0, 10);

/** The rows of a chain, straight from its blocks. */
function expectedRows(
  { chain, blocks, tokens }: ExportChain,
  { addresses, firstDate, lastDate }: Pick<ExportRequest, 'addresses' | 'firstDate' | 'lastDate'>,
): string[] {
  const ours = new Set<string>(addresses);
  const rows: string[] = [];
  for (const { block, movements } of blocks) {
    const date = new Date(block.timestampSeconds * 1000).toISOString().slice(0, 10);
    if (date < firstDate || date > lastDate) continue;
    for (const movement of movements) {
      if (!ours.has(movement.from) && !ours.has(movement.to)) continue;
      const isToken = movement.kind.startsWith('ERC');
      const token = isToken ? tokens.find(({ contract }) => contract === movement.contract) : undefined;
      const transaction = block.transactions[movement.txIndex];
      const row = formatCsvRow({
        chainId: chain.chainId,
        height: block.height,
        timestampSeconds: block.timestampSeconds,
        movement,
        direction: directionOf(movement, new Set(addresses as Address[])) ?? 'OUT',
        isSuccess: transaction?.isSuccess ?? false,
        methodId: transaction?.methodId ?? null,
        symbol: isToken ? (token?.symbol ?? null) : chain.nativeSymbol,
        decimals: isToken ? (token?.decimals ?? null) : chain.nativeDecimals,
      });
      rows.push(row);
    }
  }
  return rows;
}

/** Shows the first lines that differ, not two whole files. */
function expectSame(file: string, expected: string): void {
  if (file === expected) return;
  const [lines, expectedLines] = [file.split('\n'), expected.split('\n')];
  const at = lines.findIndex((line, index) => line !== expectedLines[index]);
  expect(lines.slice(at, at + 4)).toEqual(expectedLines.slice(at, at + 4));
  expect(lines.length).toBe(expectedLines.length);
}

describe(TransactionExporter.name, () => {
  let chains: ExportChain[];
  let indexed: DataSource;

  beforeAll(async () => {
    chains = await Promise.all([
      startExportChain({ chainId: 9001n, seed: 1, startSeconds: START, days: DAYS, blocks: 700 }),
      startExportChain({ chainId: 9002n, seed: 2, startSeconds: START, days: DAYS, blocks: 300 }),
    ]);
    indexed = await createMigratedDatabase();
    for (const { chain, blocks, tokens } of chains) await indexBlocks(indexed, chain, [blocks], tokens);
  });

  it('writes the rows of all blocks, byte by byte as the formatter of rows does', async () => {
    const [first] = chains;
    if (first === undefined) throw new Error('no chain');
    const storage = new FolderStorage(createTestFolder('exports'));
    const exporter = createExporter(indexed, createEvmChains([first.chain]), storage);
    const request = {
      addresses: first.people.slice(0, 5),
      chainIds: ['9001'],
      firstDate: day(0),
      lastDate: day(DAYS),
    };
    const operationId = randomUUID();
    const progress = await runExport(exporter, {
      operationId,
      request,
      limits: NO_LIMITS,
      durationMs: 10_000,
    });
    const file = await readExport(indexed, storage, operationId);
    const rows = expectedRows(first, request);
    expectSame(file, formatCsvHeader() + rows.join(''));
    expect(progress).toMatchObject({
      state: 'done',
      rows: rows.length,
      bytes: Buffer.byteLength(file),
      percentage: 100,
      notes: [],
    });
    void randomNumbers;
  });
});
