import { type ColumnOptions, getMetadataArgsStorage, type ValueTransformer } from 'typeorm';
import type { ColumnType, ColumnValue } from './array-literal.js';
import { NULL_WITHOUT_FIRST } from './columns.js';
import type { Queryable } from './database.js';
import { columnNameOf } from './snake-case-naming.js';

/** An entity, or an object that entities embed. */
export type EntityClass<Row extends object = object> = new () => Row;

/** One column, and what it holds for a row. */
export interface Column<Row> {
  readonly name: string;
  readonly type: ColumnType;
  value(this: void, row: Row): ColumnValue;
}

/** How values stand in columns, in both directions: what is written and what is read back cannot differ. */
export interface Columns<Row> {
  readonly columns: readonly Column<Row>[];
  /** From a row of the driver that has these columns under their names. */
  read(this: void, row: object): Row;
}

/** The columns of some properties of an entity, or all, as its decorators define them. */
export function columnsOf<Row extends object>(entity: EntityClass<Row>): Columns<Row>;
export function columnsOf<Row extends object, Key extends keyof Row & string>(
  entity: EntityClass<Row>,
  ...properties: readonly Key[]
): Columns<Pick<Row, Key>>;
export function columnsOf(entity: EntityClass, ...properties: readonly string[]): Columns<never> {
  for (const name of properties) {
    if (!propertiesOf(entity, []).has(name)) throw new RangeError(`${entity.name} has no column for ${name}`);
  }
  return choose(entity, (name) => properties.length === 0 || properties.includes(name));
}

/** All columns of an entity but those of some properties. */
export function columnsWithout<Row extends object, Key extends keyof Row & string>(
  entity: EntityClass<Row>,
  ...properties: readonly Key[]
): Columns<Omit<Row, Key>> {
  const left: readonly string[] = properties;
  return choose(entity, (name) => !left.includes(name));
}

function choose(entity: EntityClass, isChosen: (property: string) => boolean): Columns<never> {
  const chosen = [...propertiesOf(entity, [])].filter(([name]) => isChosen(name));
  return {
    columns: chosen.flatMap(([name, { columns }]) => columns.map((column) => within(name, column))),
    read: (row): never => readProperties(chosen, row as DriverRow),
  };
}

/** As the entity's decorator names it. */
export function tableNameOf(entity: EntityClass): string {
  const table = getMetadataArgsStorage().tables.find(({ target }) => target === entity);
  if (table?.name === undefined) throw new RangeError(`${entity.name} is no entity with a name`);
  return table.name;
}

/** Names of the columns of the primary key, in order. */
export function keyColumnsOf(entity: EntityClass): readonly string[] {
  return getMetadataArgsStorage()
    .filterColumns(ancestorsOf(entity))
    .filter(({ options }) => options.primary)
    .map(({ options, propertyName }) => columnNameOf(options.name ?? propertyName, []));
}

export function columnNames(columns: readonly Pick<Column<never>, 'name'>[]): string {
  return columns.map(({ name }) => name).join(', ');
}

/** The values of the rows that `rest` (FROM, WHERE, …) leads to. */
export async function readAll<Row>(
  source: Queryable,
  { columns, read }: Columns<Row>,
  rest: string,
  values: readonly unknown[],
): Promise<Row[]> {
  const rows = await source.query({ text: `SELECT ${columnNames(columns)} ${rest}`, values });
  return rows.map(read);
}

type EmbeddedArgs = ReturnType<typeof getMetadataArgsStorage>['embeddeds'][number];

/** A row of the driver, by the names of its columns. */
type DriverRow = Readonly<Record<string, unknown>>;

type Read = (row: DriverRow) => unknown;

interface Property {
  readonly columns: readonly Column<unknown>[];
  readonly read: Read;
}

/** In the order in which they are declared: first the columns, then what is embedded. */
function propertiesOf(entity: EntityClass, prefixes: readonly string[]): ReadonlyMap<string, Property> {
  const storage = getMetadataArgsStorage();
  const targets = ancestorsOf(entity);
  const properties = new Map<string, Property>();
  for (const { propertyName, options } of storage.filterColumns(targets)) {
    const name = columnNameOf(options.name ?? propertyName, prefixes);
    const type = bulkTypeOf(options);
    properties.set(propertyName, {
      columns: [{ name, type, value: (value) => value as ColumnValue }],
      read: reader(name, options.transformer),
    });
  }
  for (const embedded of storage.filterEmbeddeds(targets)) {
    properties.set(embedded.propertyName, embeddedProperty(embedded, prefixes));
  }
  return properties;
}

function embeddedProperty(
  { target, propertyName, prefix, type }: EmbeddedArgs,
  prefixes: readonly string[],
): Property {
  if (typeof target !== 'function') throw new TypeError('entities are classes');
  const own = [
    ...propertiesOf(classOf(type()), [...prefixes, typeof prefix === 'string' ? prefix : propertyName]),
  ];
  const columns = own.flatMap(([name, property]) => property.columns.map((column) => within(name, column)));
  const read: Read = (row) => readProperties(own, row);
  const [first] = columns;
  if (first === undefined) throw new RangeError(`${propertyName} has no columns`);
  const isNullable =
    Reflect.getMetadata(NULL_WITHOUT_FIRST, target.prototype as object, propertyName) === true;
  return { columns, read: (row) => (isNullable && row[first.name] === null ? null : read(row)) };
}

/** A column of an object's property as one of the object; null where the object has none. */
function within(property: string, column: Column<unknown>): Column<unknown> {
  return {
    name: column.name,
    type: column.type,
    value: (row) => {
      const value: unknown = row === null ? null : Reflect.get(row as object, property);
      return value === null || value === undefined ? null : column.value(value);
    },
  };
}

function readProperties(properties: readonly (readonly [string, Property])[], row: DriverRow): never {
  const value: Record<string, unknown> = {};
  for (const [name, { read }] of properties) value[name] = read(row);
  return value as never; // the properties are those of the class
}

function reader(name: string, transformer: ValueTransformer | ValueTransformer[] | undefined): Read {
  if (transformer === undefined || Array.isArray(transformer)) {
    return (row) => row[name];
  }
  return (row) => transformer.from(row[name]) as unknown;
}

function classOf(type: unknown): EntityClass {
  if (typeof type === 'function') return type as EntityClass;
  throw new TypeError('entities are classes');
}

/** With the classes that it extends, the first of them last. */
function ancestorsOf(entity: EntityClass): EntityClass[] {
  const parent: unknown = Object.getPrototypeOf(entity);
  return typeof parent === 'function' && parent.prototype !== undefined
    ? [entity, ...ancestorsOf(parent as EntityClass)]
    : [entity];
}

const BULK_TYPES: Readonly<Record<string, ColumnType>> = {
  bytea: 'bytea',
  numeric: 'numeric',
  bigint: 'bigint',
  integer: 'int',
  smallint: 'int',
  'double precision': 'double precision',
  real: 'double precision',
  boolean: 'boolean',
  text: 'text',
  uuid: 'text',
  json: 'json',
  jsonb: 'json',
};

function bulkTypeOf({ type, array = false }: ColumnOptions): ColumnType {
  const single = BULK_TYPES[String(type)];
  if (array) return single === 'bytea' ? 'bytea[]' : 'other';
  return single ?? 'other';
}
