import type { Queryable } from '../../../platform/database/database.js';
import type { ColumnType, ColumnValue } from '../../../platform/database/array-literal.js';
import { type Column, column, columnNames } from '../../../platform/database/table.js';

/**
 * How one value stands in the columns of a row, in both directions: what is written and what is read back cannot differ.
 * `Row` is these columns as the driver gives them, where numbers that may pass 2^53 are text.
 */
export interface Field<Value, Row> {
  readonly columns: readonly Column<Value>[];
  /** Throws RangeError where a column is empty that must not be. */
  read(row: Row): Value;
}

export type RowOf<F> = F extends { read(row: infer Row): unknown } ? Row : never;
type ValueOf<F> = F extends { read(row: never): infer Value } ? Value : never;

/** Hex. */
export const id = scalar('bytea', toHex);
export const ids = scalar('bytea[]', (given: readonly Buffer[]): readonly string[] => given.map(toHex));
/** A Uint8Array as the codec makes it, so that records compare as equal. */
export const bytes = scalar('bytea', (given: Buffer): Uint8Array => new Uint8Array(given));
/** Also more than 64 bits. */
export const amount = scalar('numeric', (given: string) => BigInt(given));
export const bigInteger = scalar('bigint', (given: string) => BigInt(given));
/** Of a column that could hold more, what never passes 2^53: times and counts. */
export const safeInteger = scalar('bigint', (given: string) => Number(given));
export const int = scalar('int', (given: number) => given);
export const double = scalar('double precision', (given: number) => given);
export const flag = scalar('boolean', (given: boolean) => given);
export const text = textOf<string>();
/** JSON text. */
export const json = scalar('json', (given: string) => given);

/** Text of a few kinds, which the table sees to. */
export function textOf<Value extends string>() {
  return scalar('text', (given: Value) => given);
}

/** Null where the first of its columns is empty, and all of its columns are empty for null. */
export function optional<Value, Row>(
  field: Field<Value, Row>,
): Field<Value | null, { readonly [Name in keyof Row]: Row[Name] | null }> {
  const [first] = field.columns;
  if (first === undefined) throw new RangeError('nothing says whether a field without columns is there');
  const isThere = (row: unknown): row is Row =>
    typeof row === 'object' && row !== null && Reflect.get(row, first.name) !== null;
  return {
    columns: field.columns.map(({ name, type, value }) =>
      column(name, type, (given: Value | null) => (given === null ? null : value(given))),
    ),
    read: (row) => (isThere(row) ? field.read(row) : null),
  };
}

/** What the table itself says; takes no column. */
export function constant<const Value>(value: Value): Field<Value, unknown> {
  return { columns: [], read: () => value };
}

type Fields = Readonly<Record<string, Field<unknown, unknown>>>;
type RecordOf<F extends Fields> = { readonly [Key in keyof F]: ValueOf<F[Key]> };
type Flat<Row> = { readonly [Name in keyof Row]: Row[Name] };
/** The columns of all fields: what fits every one of their readers. */
type ColumnsOf<F extends Fields> = Flat<
  { [Key in keyof F]: (row: RowOf<F[Key]>) => void }[keyof F] extends (row: infer Row) => void ? Row : never
>;

/** An object whose properties stand in columns of their own. */
export function record<F extends Fields>(fields: F): Field<RecordOf<F>, ColumnsOf<F>> {
  const entries = Object.entries(fields);
  return {
    columns: entries.flatMap(([key, field]) =>
      field.columns.map(({ name, type, value }) =>
        column(name, type, (given: Readonly<Record<string, unknown>>) => value(given[key])),
      ),
    ),
    read: (row) => {
      const value: Record<string, unknown> = {};
      for (const [key, field] of entries) value[key] = field.read(row);
      return value as RecordOf<F>; // the type of `fields` has them all
    },
  };
}

/** The values of the rows that `rest` (FROM, WHERE, …) leads to. */
export async function readAll<Value, Row extends object>(
  source: Queryable,
  field: Field<Value, Row>,
  rest: string,
  values: readonly unknown[],
): Promise<Value[]> {
  const rows = await source.query<Row>({ text: `SELECT ${columnNames(field.columns)} ${rest}`, values });
  return rows.map((row) => field.read(row));
}

function scalar<Given, Value extends ColumnValue>(type: ColumnType, read: (given: Given) => Value) {
  return <Name extends string>(name: Name): Field<Value, Readonly<Record<Name, Given>>> => ({
    columns: [column(name, type, (value: Value) => value)],
    read: (row) => {
      const given = row[name];
      if (given === null) throw new RangeError(`${name} is empty`);
      return read(given);
    },
  });
}

function toHex(given: Buffer): string {
  return given.toString('hex');
}
