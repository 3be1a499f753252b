import type { SortOrder } from '../schemas/query.schema.js';

/** Where the next page begins: the sort keys of the last row of this one, as decimal text or hex; null for a missing key. */
export type Keyset = readonly (string | null)[];

/** The page of a list that a repository reads. */
export interface PagePlace {
  readonly after: Keyset | undefined;
  /** One more than the page has rows: if it is there, there is a next page. */
  readonly limit: number;
}

/** As SQL has it. */
export const ORDERS = { asc: 'ASC', desc: 'DESC' } as const satisfies Record<SortOrder, string>;

/** How what follows in an order compares with what was before. */
export const FOLLOWS = { asc: '>', desc: '<' } as const satisfies Record<SortOrder, string>;

export type SortKeyType = 'bigint' | 'numeric' | 'int' | 'double precision' | 'bytea';

/** By their expressions in SQL; the id that makes them unique is the last. */
type SortKeys = Readonly<Record<string, SortKeyType>>;

/**
 * The rows behind the place in the order of the keys, as one comparison of rows, for which an index can be used; `keysetParameters` has its
 * values. The planner does not see the place: where it takes little to follow, it would plan every page of a prepared statement anew.
 */
export function follows(keys: SortKeys, comparison: '<' | '<=' | '>'): string {
  const values = Object.values(keys).map((type, index) => `(SELECT :after${index}::${type})`);
  return `(${Object.keys(keys).join(', ')}) ${comparison} (${values.join(', ')})`;
}

export function keysetParameters(keys: SortKeys, after: Keyset | undefined): Record<string, unknown> {
  if (after === undefined) return {};
  return Object.fromEntries(
    Object.values(keys).map((type, index) => {
      const value = after[index];
      if (typeof value !== 'string') throw new Error(`a place in a list lacks key ${index}`);
      return [`after${index}`, type === 'bytea' ? Buffer.from(value, 'hex') : value];
    }),
  );
}
