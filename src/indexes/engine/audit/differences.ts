/** Differences that an audit names; more of them add nothing. */
const MAX_DIFFERENCES = 20;

type Value = string | number | bigint | boolean | null | undefined;

/** Compares values one by one and keeps what differs, in words. */
export class Differences {
  readonly found: string[] = [];
  comparisons = 0;

  compare(what: string, database: Value, node: Value): void {
    this.comparisons += 1;
    if (database !== node) this.add(`${what}: database ${show(database)}, node ${show(node)}`);
  }

  /** Compares what both have under the same key; what only one has is a difference. */
  compareMaps<A, B>(
    what: string,
    database: ReadonlyMap<string, A>,
    node: ReadonlyMap<string, B>,
    compare: (what: string, database: A, node: B) => void,
  ): void {
    this.compare(`number of ${what}s`, database.size, node.size);
    for (const [key, theirs] of node) {
      const ours = database.get(key);
      if (ours === undefined) this.add(`${what} ${key}: only the node has it`);
      else compare(`${what} ${key}`, ours, theirs);
    }
    for (const key of database.keys()) {
      if (!node.has(key)) this.add(`${what} ${key}: only the database has it`);
    }
  }

  merge(other: Differences): void {
    this.comparisons += other.comparisons;
    for (const text of other.found) this.add(text);
  }

  private add(text: string): void {
    if (this.found.length < MAX_DIFFERENCES) this.found.push(text);
  }
}

function show(value: Value): string {
  return value === undefined || value === null ? 'nothing' : String(value);
}
