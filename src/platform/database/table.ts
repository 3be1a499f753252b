import type { Queryable } from './database.js';
import { arrayLiteral, type ColumnType, type ColumnValue, elementType } from './array-literal.js';

/** One column, and what it holds for a row. */
export interface Column<Row> {
  readonly name: string;
  readonly type: ColumnType;
  value(this: void, row: Row): ColumnValue;
}

export function column<Row>(name: string, type: ColumnType, value: (row: Row) => ColumnValue): Column<Row> {
  return { name, type, value };
}

export interface TableDefinition<Row> {
  readonly name: string;
  /** The column that says whose rows they are; each statement writes for one. `network` when left out. */
  readonly scope?: 'network' | 'chain_key';
  readonly columns: readonly Column<Row>[];
  /** Columns that identify a row within its scope. */
  readonly key: readonly string[];
  /** Columns of the table that are no record's, and what a rewritten row gets for them, as SQL. */
  readonly onUpdate?: Readonly<Record<string, string>>;
  /** Which rows are written over by `upsert`, as SQL of `$row` and `EXCLUDED`; all when left out. */
  readonly replacedIf?: string;
}

/** Statements with many rows each, all of one network or chain. */
export class Table<Row> {
  constructor(readonly definition: TableDefinition<Row>) {}

  /** Rows that must be new. */
  async insert(target: Queryable, scope: string, rows: readonly Row[]): Promise<void> {
    await this.run(target, scope, rows, '');
  }

  /** Rows that may be there already, and then stay. */
  async insertMissing(target: Queryable, scope: string, rows: readonly Row[]): Promise<void> {
    await this.run(target, scope, rows, 'ON CONFLICT DO NOTHING');
  }

  /** Rows that are written over what is there, as far as `replacedIf` lets them. */
  async upsert(target: Queryable, scope: string, rows: readonly Row[]): Promise<void> {
    const { columns, key, name, onUpdate = {}, replacedIf = 'true' } = this.definition;
    const assignments = [
      ...columns
        .filter((column) => !key.includes(column.name))
        .map((column) => `${column.name} = EXCLUDED.${column.name}`),
      ...Object.entries(onUpdate).map(([other, sql]) => `${other} = ${sql.replaceAll('$row', name)}`),
    ];
    const conflict = `ON CONFLICT (${this.scopeColumn}, ${key.join(', ')}) DO UPDATE SET ${assignments.join(', ')}
       WHERE ${replacedIf.replaceAll('$row', name)}`;
    await this.run(target, scope, rows, conflict);
  }

  private get scopeColumn(): string {
    return this.definition.scope ?? 'network';
  }

  private async run(target: Queryable, scope: string, rows: readonly Row[], conflict: string): Promise<void> {
    if (rows.length === 0) return;
    const { columns, name } = this.definition;
    await target.execute({
      text: `INSERT INTO ${name} (${this.scopeColumn}, ${columnNames(columns)})
       SELECT $1, ${columns.map(selectExpression).join(', ')} FROM ${unnest(columns, 2)} ${conflict}`,
      values: [scope, ...columnLiterals(columns, rows)],
    });
  }
}

export function columnNames(columns: readonly Pick<Column<never>, 'name'>[]): string {
  return columns.map(({ name }) => name).join(', ');
}

/** `unnest($2::…[], …) AS input (a, b, …)`: the rows as a table, its parameters counted from `firstParameter`. */
export function unnest<Row>(columns: readonly Column<Row>[], firstParameter: number): string {
  const arrays = columns.map(({ type }, index) => `$${firstParameter + index}::${elementType(type)}[]`);
  return `unnest(${arrays.join(', ')}) AS input (${columnNames(columns)})`;
}

export function columnLiterals<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string[] {
  return columns.map(({ type, value }) => arrayLiteral(type, rows.map(value)));
}

/** A column of the unnested input in its own type. */
export function selectExpression({ name, type }: Pick<Column<never>, 'name' | 'type'>): string {
  return elementType(type) === type ? `input.${name}` : `input.${name}::${type}`;
}
