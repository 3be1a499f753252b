import { describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { TaxRows } from '../../src/exports/rows/tax-rows.js';
import type { ExportFormat } from '../../workflows/contracts/export-transactions.js';
import { defaultCChainRecording, defaultL1Recording } from '../../sandbox/evm-chains/default-recordings.js';
import { accountsOf, expectedLines } from '../support/exports/export-comparison.js';
import { ExportBed, linesOf, LONG_MS, makeStorage, SHORT_MS } from '../support/exports/export-bed.js';
import { NO_LIMITS, readExport, runExport } from '../support/exports/export-run.js';
import { createMigratedDatabase } from '../support/harness/database.js';

const FORMATS = ['koinly', 'cointracker'] as const;
/** Where amount and currency of what was sent, received and paid as a fee stand. */
const PLACES = {
  koinly: { sent: 1, received: 3, fee: 5 },
  cointracker: { sent: 3, received: 1, fee: 5 },
} as const;

describe('exports for tax tools', () => {
  describe.each([
    ['the C-chain', defaultCChainRecording(), 6],
    ['an L1', defaultL1Recording(), 1],
  ])('of what was recorded on %s', (_, recording, people) => {
    it.each([
      ['everybody', accountsOf(recording)],
      ...recording.addresses
        .slice(0, people)
        .map(({ what, address }): [string, string[]] => [`one that ${what}`, [address]]),
    ])('change each balance of %s as the standard rows do', (_who, addresses) => {
      const lines = expectedLines(recording, addresses);
      const expected = sumsOfStandard(lines);
      expect(expected.size).toBeGreaterThan(0);
      for (const format of FORMATS) {
        const tax = new TaxRows(format);
        const content = lines.map((line) => `${line}\r\n`).join('');
        const rows = linesOf(tax.add(Buffer.from(content)) + tax.end());
        expect(sumsOf(rows, format)).toEqual(expected);
      }
    });
  });

  it('are the same files whether indexed or read from nodes, and however long the turns', async () => {
    const bed = await ExportBed.start();
    const exportAs = async (
      format: ExportFormat,
      isIndexed: boolean,
      durationMs: number,
    ): Promise<string> => {
      const database = isIndexed ? bed.indexed : await createMigratedDatabase();
      const storage = makeStorage();
      const operationId = randomUUID();
      const request = bed.requestOf({ format, chainIds: ['9002'] });
      const exporter = bed.makeExporter(database, storage);
      await runExport(exporter, { operationId, request, limits: NO_LIMITS, durationMs });
      return readExport(database, storage, operationId);
    };
    const standard = linesOf(await exportAs('standard', true, LONG_MS)).slice(1);
    for (const format of FORMATS) {
      const file = await exportAs(format, true, LONG_MS);
      const tax = new TaxRows(format);
      expect(file).toBe(`${tax.header()}${tax.add(Buffer.from(standard.join('')))}${tax.end()}`);
      expect(await exportAs(format, true, SHORT_MS)).toBe(file);
      expect(await exportAs(format, false, LONG_MS)).toBe(file);
    }
  });
});

/** By symbol, contract and token id, in units of 18 decimals; nothing where nothing has changed. */
function sumsOfStandard(lines: readonly string[]): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const line of lines) {
    const cells = readCells(line);
    const [chainId = '', direction, kind = '', contract = ''] = [0, 8, 9, 12].map((at) => cells[at]);
    const [symbol = '', decimals = '', tokenId = '', raw = ''] = [13, 15, 16, 17].map((at) => cells[at]);
    if (direction === 'SELF') continue;
    const isToken = kind.startsWith('ERC');
    const currency =
      `${symbol === '' ? 'UNKNOWN' : symbol}${isToken ? `.${contract.slice(-16)}` : ''}` +
      `${chainId === '43112' ? '' : `@${chainId}`}${tokenId === '' ? '' : `#${tokenId}`}`;
    const isWhole = kind === 'ERC721' || kind === 'ERC1155';
    const unit = SCALE / 10n ** BigInt(isWhole ? 0 : Number(decimals));
    add(sums, currency, (direction === 'IN' ? 1n : -1n) * BigInt(raw) * unit);
  }
  return withoutZeros(sums);
}

function sumsOf(lines: readonly string[], format: (typeof FORMATS)[number]): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  const { sent, received, fee } = PLACES[format];
  for (const line of lines) {
    const cells = readCells(line.trimEnd());
    const signs = [
      [sent, -1n],
      [received, 1n],
      [fee, -1n],
    ] as const;
    for (const [at, sign] of signs) {
      const [amount = '', currency = ''] = cells.slice(at, at + 2);
      if (amount === '') continue;
      const [whole = '', fraction = ''] = amount.split('.');
      add(sums, currency, sign * BigInt(whole + fraction.padEnd(SCALE_DIGITS, '0')));
    }
  }
  return withoutZeros(sums);
}

/** As many as any contract can claim. */
const SCALE_DIGITS = 255;
const SCALE = 10n ** BigInt(SCALE_DIGITS);

function add(sums: Map<string, bigint>, currency: string, amount: bigint): void {
  sums.set(currency, (sums.get(currency) ?? 0n) + amount);
}

function withoutZeros(sums: ReadonlyMap<string, bigint>): Map<string, bigint> {
  return new Map([...sums].filter(([, sum]) => sum !== 0n));
}

/** No recorded text has a line end. */
function readCells(line: string): string[] {
  return [...line.matchAll(/(?:"((?:[^"]|"")*)"|([^,]*))(?:,|$)/g)].map(
    ([, quoted, bare = '']) => quoted?.replaceAll('""', '"') ?? bare,
  );
}
