import { CSV_COLUMNS, LINE_END } from './csv.js';

/** Some cells of a row, as they were before they were quoted. */
export interface StandardRow {
  readonly chainId: string;
  readonly chainName: string;
  readonly height: string;
  /** `2026-11-21 07:15:52`. */
  readonly dateTime: string;
  readonly txHash: string;
  readonly direction: string;
  readonly kind: string;
  readonly from: string;
  readonly to: string;
  readonly contract: string;
  readonly symbol: string;
  readonly decimals: string;
  readonly tokenId: string;
  readonly rawAmount: string;
}

const CELL = /(?:"((?:[^"]|"")*)"|([^,]*))(?:,|$)/y;
const AT = new Map(CSV_COLUMNS.map((column, index) => [column, index]));

const LF = 10;

/** Reads rows from bytes as formatCsvRow writes them; no cell holds the end of a line. */
export class StandardRowReader {
  private rest: Buffer = Buffer.alloc(0);

  /** Rows that end in these bytes, which may begin and end anywhere in one. */
  add(bytes: Buffer): StandardRow[] {
    const content = this.rest.length === 0 ? bytes : Buffer.concat([this.rest, bytes]);
    const end = content.lastIndexOf(LF) + 1;
    this.rest = content.subarray(end);
    return content.toString('utf8', 0, end).split(LINE_END).slice(0, -1).map(readStandardRow);
  }
}

/** From one line, without its end. */
function readStandardRow(line: string): StandardRow {
  const cells = line.includes('"') ? unquote(line) : line.split(',');
  const cell = (column: (typeof CSV_COLUMNS)[number]): string => cells[AT.get(column) ?? -1] ?? '';
  return {
    chainId: cell('ChainId'),
    chainName: cell('ChainName'),
    height: cell('BlockNumber'),
    dateTime: cell('DateTimeUtc'),
    txHash: cell('TxHash'),
    direction: cell('Direction'),
    kind: cell('Kind'),
    from: cell('From'),
    to: cell('To'),
    contract: cell('ContractAddress'),
    symbol: cell('TokenSymbol'),
    decimals: cell('TokenDecimals'),
    tokenId: cell('TokenId'),
    rawAmount: cell('RawAmount'),
  };
}

function unquote(line: string): string[] {
  CELL.lastIndex = 0;
  return CSV_COLUMNS.map(() => {
    const [, quoted, bare = ''] = CELL.exec(line) ?? [];
    return quoted === undefined ? bare : quoted.replaceAll('""', '"');
  });
}
