/** Goes out as one piece. */
const CHUNK_BYTES = 256 * 1024;

const TAB = 0x09;
const NEW_LINE = 0x0a;
const BACKSLASH = 0x5c;
const SMALL_X = 0x78;

/**
 * Rows in COPY's text format. Written into buffers and not put together as strings, because next to parsing blocks this is what
 * a backfill spends its time on. Nothing is escaped: hex, numbers and our own words are all that may be in it.
 */
export class CopyText {
  private readonly full: Buffer[] = [];
  private current = Buffer.allocUnsafe(CHUNK_BYTES);
  private length = 0;

  get isEmpty(): boolean {
    return this.length === 0 && this.full.length === 0;
  }

  get chunks(): readonly Buffer[] {
    return [...this.full, this.current.subarray(0, this.length)];
  }

  /** ASCII without tabs, line ends and backslashes. */
  text(value: string | number | bigint | null): this {
    if (value === null) return this.nothing();
    const text = String(value);
    this.makeRoom(text.length + 1);
    this.current.write(text, this.length, text.length, 'latin1');
    this.length += text.length;
    this.current[this.length++] = TAB;
    return this;
  }

  flag(value: boolean): this {
    return this.text(value ? 't' : 'f');
  }

  /** `0x` and digits, as bytea. */
  hex(value: string | null): this {
    if (value === null) return this.nothing();
    const { length } = value;
    this.makeRoom(length + 2);
    const { current } = this;
    current.write(value, this.length + 1, length, 'latin1');
    current[this.length] = BACKSLASH;
    current[this.length + 1] = BACKSLASH;
    current[this.length + 2] = SMALL_X;
    this.length += length + 1;
    current[this.length++] = TAB;
    return this;
  }

  /** Ends the row; it has at least one column. */
  end(): void {
    this.current[this.length - 1] = NEW_LINE;
  }

  private nothing(): this {
    return this.text('\\N');
  }

  private makeRoom(bytes: number): void {
    if (this.length + bytes <= this.current.length) return;
    this.full.push(this.current.subarray(0, this.length));
    this.current = Buffer.allocUnsafe(Math.max(CHUNK_BYTES, bytes));
    this.length = 0;
  }
}
