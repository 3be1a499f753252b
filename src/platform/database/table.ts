import type { Queryable, Statement } from './database.js';
import { arrayLiteral, elementType } from './array-literal.js';
import {
  type Column,
  columnNames,
  columnsWithout,
  type EntityClass,
  keyColumnsOf,
  tableNameOf,
} from './entity-columns.js';

/** The first columns of the key, with one value for all rows of a statement. */
type ScopeOf<Row> = 'network' extends keyof Row ? 'network' : 'chainKey';

export type TableRow<Row, Left = never> = Omit<Row, ScopeOf<Row> | (Left & keyof Row)>;

export interface TableOptions<Row, Left extends keyof Row & string> {
  /** Properties that other statements write. */
  readonly without?: readonly Left[];
  /** Their columns, and what a rewritten row gets for them, as SQL. */
  readonly onUpdate?: Readonly<Record<string, string>>;
  /** Which rows are written over by `upsert`, as SQL of `$row` and `EXCLUDED`; all when left out. */
  readonly replacedIf?: string;
}

/** Statements with many rows of an entity each, all of one network or chain: what comes first in its key. */
export class Table<Row extends object, Left extends keyof Row & string = never> {
  readonly name: string;
  private readonly scope: string;
  private readonly key: readonly string[];
  private readonly columns: readonly Column<never>[];

  constructor(
    entity: EntityClass<Row>,
    private readonly options: TableOptions<Row, Left> = {},
  ) {
    const [scope, ...key] = keyColumnsOf(entity);
    if (scope === undefined) throw new RangeError(`${entity.name} has no key`);
    this.name = tableNameOf(entity);
    this.scope = scope;
    this.key = key;
    this.columns = columnsWithout(entity, ...(options.without ?? [])).columns.filter(
      ({ name }) => name !== scope,
    );
  }

  /** Rows that must be new. */
  async insert(target: Queryable, scope: string, rows: readonly TableRow<Row, Left>[]): Promise<void> {
    await this.run(target, scope, rows, '');
  }

  /** Rows that may be there already, and then stay. */
  async insertMissing(target: Queryable, scope: string, rows: readonly TableRow<Row, Left>[]): Promise<void> {
    if (rows.length > 0) await target.execute(this.missing(scope, rows));
  }

  /** The same as a statement, for one that goes on with what it has inserted; `scope` is its $1. */
  missing(scope: string, rows: readonly TableRow<Row, Left>[]): Statement {
    return this.statement(scope, rows, 'ON CONFLICT DO NOTHING');
  }

  /** Rows that are written over what is there, as far as `replacedIf` lets them. */
  async upsert(target: Queryable, scope: string, rows: readonly TableRow<Row, Left>[]): Promise<void> {
    const { columns, key, name } = this;
    const { onUpdate = {}, replacedIf = 'true' } = this.options;
    const assignments = [
      ...columns
        .filter((column) => !key.includes(column.name))
        .map((column) => `${column.name} = EXCLUDED.${column.name}`),
      ...Object.entries(onUpdate).map(([other, sql]) => `${other} = ${sql.replaceAll('$row', name)}`),
    ];
    const conflict = `ON CONFLICT (${this.scope}, ${key.join(', ')}) DO UPDATE SET ${assignments.join(', ')}
       WHERE ${replacedIf.replaceAll('$row', name)}`;
    await this.run(target, scope, rows, conflict);
  }

  private async run(
    target: Queryable,
    scope: string,
    rows: readonly object[],
    conflict: string,
  ): Promise<void> {
    if (rows.length > 0) await target.execute(this.statement(scope, rows, conflict));
  }

  private statement(scope: string, rows: readonly object[], conflict: string): Statement {
    const { columns, name } = this;
    return {
      text: `INSERT INTO ${name} (${this.scope}, ${columnNames(columns)})
       SELECT $1, ${columns.map(selectExpression).join(', ')} FROM ${unnest(columns, 2)} ${conflict}`,
      values: [scope, ...columnLiterals(columns, rows as never)],
    };
  }
}

/** `unnest($2::…[], …) AS input (a, b, …)`: the rows as a table, its parameters counted from `firstParameter`. */
export function unnest(columns: readonly Column<never>[], firstParameter: number): string {
  const arrays = columns.map(({ type }, index) => `$${firstParameter + index}::${elementType(type)}[]`);
  return `unnest(${arrays.join(', ')}) AS input (${columnNames(columns)})`;
}

export function columnLiterals<Row extends object>(
  columns: readonly Column<Row>[],
  rows: readonly NoInfer<Row>[],
): string[] {
  return columns.map(({ type, value }) =>
    arrayLiteral(
      type,
      rows.map((row) => value(row)),
    ),
  );
}

/** A column of the unnested input in its own type. */
export function selectExpression({ name, type }: Pick<Column<never>, 'name' | 'type'>): string {
  return elementType(type) === type ? `input.${name}` : `input.${name}::${type}`;
}
