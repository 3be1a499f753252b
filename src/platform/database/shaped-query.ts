import type { ObjectLiteral, Repository, SelectQueryBuilder } from 'typeorm';
import type { NetworkName } from '../config/config.module.js';
import type { Columns } from './entity-columns.js';
import { partitionOf } from './chains.js';
import type { Statement } from './database.js';

/** Each is prepared on each connection; lists differ by page size, filters and order. */
const MAX_SHAPES = 500;

/** Values by the names that a query has for them. */
type Parameters = Readonly<Record<string, unknown>>;

/**
 * A query whose text follows from its shape alone (a network, an order, which filters there are), and which takes all values as
 * named parameters. TypeORM takes as long to build a list as Postgres to read a page of it, so each shape is built once.
 */
export class ShapedQuery<Shape extends object> {
  private readonly built = new Map<string, { readonly text: string; readonly names: readonly string[] }>();

  constructor(private readonly build: (shape: Shape) => SelectQueryBuilder<ObjectLiteral>) {}

  /** Prepared, unless `onePlan` is false: the best plan then depends on the values. */
  statement(shape: Shape, parameters: Parameters, { onePlan = true } = {}): Statement {
    const { text, names } = this.find(shape, parameters);
    return { text, values: names.map((name) => parameters[name]), onePlan };
  }

  private find(shape: Shape, parameters: Parameters) {
    const key = JSON.stringify([shape, Object.keys(parameters)]);
    const known = this.built.get(key);
    if (known !== undefined) return known;
    const ownNames = Object.fromEntries(Object.keys(parameters).map((name) => [name, name]));
    const [text, values] = this.build(shape).setParameters(ownNames).getQueryAndParameters();
    const built = { text, names: values.map(String) };
    if (this.built.size < MAX_SHAPES) this.built.set(key, built);
    return built;
  }
}

/** Of one network's partition (partition.ts). */
export function fromPartition<Entity extends ObjectLiteral>(
  repository: Repository<Entity>,
  alias: string,
  network: NetworkName,
): SelectQueryBuilder<Entity> {
  const builder = repository.createQueryBuilder(alias);
  const { mainAlias } = builder.expressionMap;
  if (mainAlias !== undefined) mainAlias.tablePath = partitionOf(repository.metadata.tableName, network);
  return builder;
}

/** Columns by the alias of their table, as their `read` takes them; replaces what was selected before. */
export function selectColumns<Entity extends ObjectLiteral>(
  builder: SelectQueryBuilder<Entity>,
  byAlias: Readonly<Record<string, Pick<Columns<never>, 'columns'>>>,
): SelectQueryBuilder<Entity> {
  builder.select([]);
  for (const [alias, { columns }] of Object.entries(byAlias)) {
    for (const { name } of columns) builder.addSelect(`${alias}.${name}`, name);
  }
  return builder;
}

/**
 * The elements of a parameter, hidden from the planner. It would count them, find a plan for these few cheaper than one for any number,
 * and so plan a prepared statement anew each time.
 */
export function setOf(name: string, type: 'bytea' | 'text' | 'boolean'): string {
  return `unnest((SELECT :${name}::${type}[]))`;
}

export function toBytes(hex: string): Buffer {
  return Buffer.from(hex, 'hex');
}
