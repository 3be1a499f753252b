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
}
