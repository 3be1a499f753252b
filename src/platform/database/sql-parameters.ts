/** The values of one statement; `add` gives the placeholder of a value. */
export class SqlParameters {
  readonly values: unknown[] = [];

  add(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }

  /** Hex digits as bytea. */
  addBytes(hex: string): string {
    return `${this.add(Buffer.from(hex, 'hex'))}::bytea`;
  }

  addBytesList(hexes: readonly string[]): string {
    return `${this.add(hexes.map((hex) => Buffer.from(hex, 'hex')))}::bytea[]`;
  }

  /**
   * A set of the elements that the planner does not see. It would count them, find a plan for these few cheaper than one for any number,
   * and so plan a prepared statement anew each time.
   */
  addSet(type: 'bytea' | 'text' | 'boolean', elements: readonly unknown[]): string {
    return `unnest((SELECT ${this.add(elements)}::${type}[]))`;
  }

  addBytesSet(hexes: readonly string[]): string {
    return this.addSet(
      'bytea',
      hexes.map((hex) => Buffer.from(hex, 'hex')),
    );
  }
}
