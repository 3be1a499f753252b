import type { StateQuery } from '../../avalanche/evm/rpc/evm-client.js';
import type { StateAnswer } from './search-records.repository.js';

/** Answers of nodes, by account, field and height. */
export class KnownStates {
  private readonly values = new Map<string, Map<bigint, bigint>>();

  get({ height, ...of }: StateQuery): bigint | undefined {
    // Before a chain's first block nobody has anything.
    return height < 0n ? 0n : this.values.get(keyOf(of))?.get(height);
  }

  add(answers: readonly StateAnswer[]): void {
    for (const { height, value, ...of } of answers) {
      const key = keyOf(of);
      const known = this.values.get(key) ?? new Map<bigint, bigint>();
      this.values.set(key, known.set(height, value));
    }
  }

  /** Each once, by height: what a node answers for one height is asked together. */
  missing(queries: readonly StateQuery[]): StateQuery[] {
    const missing = new Map<string, StateQuery>();
    for (const query of queries) {
      if (this.get(query) === undefined) missing.set(`${keyOf(query)} ${query.height}`, query);
    }
    return [...missing.values()].sort((a, b) => (a.height < b.height ? -1 : a.height > b.height ? 1 : 0));
  }
}

function keyOf({ address, field }: Omit<StateQuery, 'height'>): string {
  return `${field} ${address}`;
}
