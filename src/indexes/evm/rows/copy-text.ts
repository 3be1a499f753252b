/** Goes out as one piece. */
const CHUNK_BYTES = 256 * 1024;

const NOTHING = '\\N\t';
const NEW_LINE = 0x0a;

/**
 * Rows in COPY's text format. A row is put together as a string and written into a buffer as one, because next to parsing blocks
 * this is what a backfill spends its time on. Nothing is escaped: hex, numbers and our own words are all that may be in it.
 */
export class CopyText {
  private readonly full: Buffer[] = [];
  private current = Buffer.allocUnsafe(CHUNK_BYTES);
  private length = 0;
  private row = '';

  get isEmpty(): boolean {
    return this.length === 0 && this.full.length === 0;
  }

  get chunks(): readonly Buffer[] {
    return [...this.full, this.current.subarray(0, this.length)];
  }

  /** ASCII without tabs, line ends and backslashes. */
  text(value: string | number | bigint | null): this {
    this.row += value === null ? NOTHING : `${value}\t`;
    return this;
  }

  flag(value: boolean): this {
    return this.text(value ? 't' : 'f');
  }

  /** `0x` and digits, as bytea. */
  hex(value: string | null): this {
    this.row += value === null ? NOTHING : `\\\\${value.slice(1)}\t`;
    return this;
  }

  /** Ends the row; it has at least one column. */
  end(): void {
    const { row } = this;
    this.makeRoom(row.length);
    this.current.write(row, this.length, row.length, 'latin1');
    this.length += row.length;
    this.current[this.length - 1] = NEW_LINE; // in the place of the last tab
    this.row = '';
  }

  private makeRoom(bytes: number): void {
    if (this.length + bytes <= this.current.length) return;
    this.full.push(this.current.subarray(0, this.length));
    this.current = Buffer.allocUnsafe(Math.max(CHUNK_BYTES, bytes));
    this.length = 0;
  }
}
