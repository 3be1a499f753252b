import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { formatUnits as viemFormatUnits } from 'viem/utils';
import {
  CSV_COLUMNS,
  type ExportRow,
  directionOf,
  formatCsvHeader,
  formatCsvRow,
  formatTextCell,
  formatUnits,
} from './csv.js';
import { addressFor, hashFor } from '../../../sandbox/generated/evm-block.js';
import type { Movement } from '../../avalanche/evm/transfers/transfers.js';

/** A reader of RFC 4180 that shares nothing with the writer. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at < text.length) {
    let cell = '';
    if (text[at] === '"') {
      at += 1;
      for (;;) {
        const end = text.indexOf('"', at);
        if (end === -1) throw new Error('open quote');
        cell += text.slice(at, end);
        at = end + 1;
        if (text[at] !== '"') break;
        cell += '"';
        at += 1;
      }
    } else {
      const length = text.slice(at).search(/[,\r\n"]/);
      const end = length === -1 ? text.length : at + length;
      if (text[end] === '"') throw new Error('quote inside a bare cell');
      cell = text.slice(at, end);
      at = end;
    }
    row.push(cell);
    if (text[at] === ',') {
      at += 1;
    } else if (text.startsWith('\r\n', at)) {
      at += 2;
      rows.push(row);
      row = [];
    } else {
      throw new Error(`neither a comma nor a line end at ${at}`);
    }
  }
  if (row.length > 0) throw new Error('last line without its end');
  return rows;
}

const MOVEMENT: Movement = {
  kind: 'ERC20',
  txHash: hashFor(7),
  txIndex: 3,
  logIndex: 12,
  batchIndex: null,
  tracePath: null,
  from: addressFor(1),
  to: addressFor(2),
  contract: addressFor(3),
  tokenId: null,
  amount: 1_234_500n,
};

const ROW: ExportRow = {
  chainId: 43114n,
  chainName: 'C-Chain',
  height: 75_000_000n,
  timestampSeconds: 1_795_245_352,
  movement: MOVEMENT,
  direction: 'OUT',
  isSuccess: true,
  methodId: '0xa9059cbb',
  symbol: 'USDC',
  name: 'USD Coin',
  decimals: 6,
};

const cellsOf = (row: ExportRow): Record<string, string | undefined> => {
  const [cells = []] = parseCsv(formatCsvRow(row));
  expect(cells).toHaveLength(CSV_COLUMNS.length);
  return Object.fromEntries(CSV_COLUMNS.map((column, index) => [column, cells[index]]));
};

describe(formatCsvRow.name, () => {
  it('writes every column of a token transfer', () => {
    expect(cellsOf(ROW)).toEqual({
      ChainId: '43114',
      ChainName: 'C-Chain',
      BlockNumber: '75000000',
      BlockTimestamp: '1795245352',
      DateTimeUtc: '2026-11-21 07:15:52',
      TxHash: hashFor(7),
      TxIndex: '3',
      'LogIndex/TracePath': '12',
      Direction: 'OUT',
      Kind: 'ERC20',
      From: addressFor(1),
      To: addressFor(2),
      ContractAddress: addressFor(3),
      TokenSymbol: 'USDC',
      TokenName: 'USD Coin',
      TokenDecimals: '6',
      TokenId: '',
      RawAmount: '1234500',
      Amount: '1.2345',
      FeeWei: '',
      FeeAmount: '',
      Status: 'success',
      MethodId: '0xa9059cbb',
    });
  });

  it('writes as many columns as the header has names', () => {
    expect(parseCsv(formatCsvHeader())).toEqual([[...CSV_COLUMNS]]);
  });

  it('repeats the amount as the fee on FEE rows of whoever paid it', () => {
    const movement: Movement = {
      ...MOVEMENT,
      kind: 'FEE',
      contract: null,
      logIndex: null,
      amount: 5n * 10n ** 14n,
    };
    const cells = cellsOf({ ...ROW, movement, isSuccess: false, symbol: 'AVAX', decimals: 18 });
    expect(cells).toMatchObject({
      RawAmount: '500000000000000',
      Amount: '0.0005',
      FeeWei: '500000000000000',
      FeeAmount: '0.0005',
      Status: 'failed',
      'LogIndex/TracePath': '',
    });
    expect(cellsOf({ ...ROW, movement, direction: 'SELF' }).FeeWei).toBe('500000000000000');
    expect(cellsOf({ ...ROW, movement, direction: 'IN' })).toMatchObject({
      RawAmount: '500000000000000',
      FeeWei: '',
      FeeAmount: '',
    });
  });

  it('leaves the amount empty when nobody knows the decimals, but counts tokens of ERC-721 and ERC-1155', () => {
    const unknown = { ...ROW, symbol: null, decimals: null };
    expect(cellsOf(unknown)).toMatchObject({
      RawAmount: '1234500',
      Amount: '',
      TokenSymbol: '',
      TokenDecimals: '',
    });
    const nft: Movement = { ...MOVEMENT, kind: 'ERC721', tokenId: 2n ** 256n - 1n, amount: 1n };
    expect(cellsOf({ ...unknown, movement: nft })).toMatchObject({
      Amount: '1',
      TokenId: String(2n ** 256n - 1n),
    });
    const batch: Movement = { ...MOVEMENT, kind: 'ERC1155', tokenId: 4n, batchIndex: 1, amount: 9n };
    expect(cellsOf({ ...unknown, movement: batch })).toMatchObject({
      Amount: '9',
      'LogIndex/TracePath': '12_1',
    });
    expect(cellsOf({ ...ROW, movement: batch })).toMatchObject({ Amount: '9', TokenDecimals: '6' });
  });

  it('leaves out what an atomic transaction does not have', () => {
    const movement = {
      ...MOVEMENT,
      kind: 'IMPORT',
      txHash: 'transaction',
      txIndex: null,
      logIndex: null,
      from: 'P-chain',
      contract: null,
      tokenId: 'asset',
    } as const;
    expect(
      cellsOf({ ...ROW, movement, symbol: null, name: null, decimals: null, methodId: null }),
    ).toMatchObject({
      Kind: 'IMPORT',
      TxHash: 'transaction',
      TxIndex: '',
      'LogIndex/TracePath': '',
      From: 'P-chain',
      TokenId: 'asset',
      RawAmount: '1234500',
      Amount: '',
    });
    expect(cellsOf({ ...ROW, movement: { ...movement, kind: 'MINT', txHash: null } }).TxHash).toBe('');
  });

  it('writes the place of an internal transfer in the call tree', () => {
    const movement: Movement = { ...MOVEMENT, kind: 'INTERNAL', logIndex: null, tracePath: '0_2' };
    expect(cellsOf({ ...ROW, movement })['LogIndex/TracePath']).toBe('call_0_2');
  });

  it('writes any symbol so that readers get it back, one line each, and spreadsheets execute nothing', () => {
    const symbols = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({
        unit: fc.constantFrom('=', '+', '-', '@', '\t', '\r', '\n', '"', ',', ' ', "'", ';', 'A'),
      }),
    );
    fc.assert(
      fc.property(fc.array(symbols, { maxLength: 5 }), (texts) => {
        const rows = parseCsv(
          texts.map((text) => formatCsvRow({ ...ROW, symbol: text, name: text, chainName: text })).join(''),
        );
        expect(rows).toHaveLength(texts.length);
        for (const [index, cells] of rows.entries()) {
          expect(cells).toHaveLength(CSV_COLUMNS.length);
          for (const column of ['ChainName', 'TokenSymbol', 'TokenName'] as const) {
            const cell = cells[CSV_COLUMNS.indexOf(column)] ?? '';
            expect([texts[index], `'${texts[index]}`]).toContain(cell);
            expect(cell.trimStart()).not.toMatch(/^[=+\-@]/);
            expect(cell).not.toMatch(/^[\t\r\n]/);
          }
        }
      }),
    );
  });
});

describe(formatTextCell.name, () => {
  it.each([
    ['a formula', '=HYPERLINK("http://evil","x")', `"'=HYPERLINK(""http://evil"",""x"")"`],
    ['a plus', '+1', "'+1"],
    ['a minus', '-1', "'-1"],
    ['an at', '@SUM(A1)', "'@SUM(A1)"],
    ['a tab', '\t=1', `'\t=1`],
    ['a carriage return', '\r=1', `"'\r=1"`],
    ['spaces before a formula', '  =1', "'  =1"],
    ['a full-width sign', '＝1', "'＝1"],
    ['quotes and newlines', 'a"b\nc', '"a""b\nc"'],
    ['an ordinary name', 'USD Coin (Wrapped)', 'USD Coin (Wrapped)'],
    ['nothing', '', ''],
  ])('writes %s', (_, text, cell) => {
    expect(formatTextCell(text)).toBe(cell);
  });
});

describe(formatUnits.name, () => {
  it('writes all decimals exactly', () => {
    const decimals = fc.integer({ min: 0, max: 255 });
    fc.assert(
      fc.property(fc.bigInt(0n, 2n ** 256n), decimals, (raw, places) => {
        const text = formatUnits(raw, places);
        expect(text).toBe(viemFormatUnits(raw, places));
        const [whole = '', fraction = ''] = text.split('.');
        expect(BigInt(whole + fraction.padEnd(places, '0'))).toBe(raw);
      }),
    );
  });
});

describe(directionOf.name, () => {
  it('reports whether the exported addresses sent, received, or both', () => {
    const { from, to } = MOVEMENT;
    expect(directionOf(MOVEMENT, new Set([from]))).toBe('OUT');
    expect(directionOf(MOVEMENT, new Set([to]))).toBe('IN');
    expect(directionOf(MOVEMENT, new Set([from, to]))).toBe('SELF');
    expect(directionOf(MOVEMENT, new Set([addressFor(99)]))).toBeUndefined();
  });
});
