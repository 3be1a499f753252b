import { CSV_COLUMNS } from './csv.js';

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
  readonly contract: string;
  readonly symbol: string;
  readonly decimals: string;
  readonly tokenId: string;
  readonly rawAmount: string;
}

const CELL = /(?:"((?:[^"]|"")*)"|([^,]*))(?:,|$)/y;
const AT = new Map(CSV_COLUMNS.map((column, index) => [column, index]));

/** From one line as formatCsvRow writes it, without its end. */
export function readStandardRow(line: string): StandardRow {
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
