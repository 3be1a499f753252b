import type { Differences } from '../../engine/audit/differences.js';
import type { Facet, FacetBatch } from '../facets/facets.js';
import type { WatchedLog } from '../projections/watched-log.js';
import { columnsOfTable } from '../rows/copy-rows.js';
import type { CopiedTable } from '../rows/evm-tables.js';

/** Values by columns, as text. */
type Row = ReadonlyMap<string, string>;

/** Rows of one facet of one block, by table and key. */
export type AuditedRows = ReadonlyMap<string, Row>;

/** As they would be written. */
export function rowsOfBatch(batch: FacetBatch): AuditedRows {
  const { facet, logs = [] } = batch;
  const rows = batch.makeRows(() => true);
  return rowsOf(facet, (table) => Buffer.concat(rows.get(table)?.chunks ?? []).toString('latin1'), logs);
}

/** `textOf`: a table's rows in COPY's format. */
export function rowsOf(
  { tables, wholeTables = [], logSet }: Facet,
  textOf: (table: CopiedTable) => string,
  logs: readonly WatchedLog[],
): AuditedRows {
  const ofTables = [...tables, ...wholeTables].flatMap((table) => parseRows(table, textOf(table)));
  return new Map([...ofTables, ...(logSet === undefined ? [] : logs.map(rowOfLog))]);
}

function parseRows(table: CopiedTable, text: string): [string, Row][] {
  const { names, keys } = columnsOfTable(table);
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => {
      const values = line.split('\t');
      const key = values.slice(1, keys).join('/');
      return [`${table} ${key}`, new Map(names.map((name, at) => [name, values[at] ?? '']))];
    });
}

function rowOfLog(log: WatchedLog): [string, Row] {
  const { height, logIndex, txIndex, blockTime, txHash, address, topics, data, fee } = log;
  const values = { txIndex, blockTime, txHash, address, topics: topics.join(), data, fee };
  const texts = Object.entries(values).map(([name, value]) => [name, String(value)] as const);
  return [`evm_logs ${height}/${logIndex}`, new Map(texts)];
}

export function compareRows(
  differences: Differences,
  where: string,
  database: AuditedRows,
  node: AuditedRows,
): void {
  differences.compareMaps(`${where}: row`, database, node, (what, ours, theirs) => {
    for (const [column, value] of theirs) differences.compare(`${what} ${column}`, ours.get(column), value);
  });
}

export function areEqual(one: AuditedRows, other: AuditedRows): boolean {
  return textOfRows(one) === textOfRows(other);
}

function textOfRows(rows: AuditedRows): string {
  return [...rows]
    .map(([key, row]) => `${key}: ${[...row.values()].join()}`)
    .sort()
    .join('\n');
}
