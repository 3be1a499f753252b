import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { compress } from '../storage/gzip-stream.js';
import type { ExportPosition } from '../turns/export-position.js';

/** Rows, and in between the position behind each whole slice. */
export type TurnContent = Buffer | WholeSlice;

interface WholeSlice {
  readonly position: ExportPosition;
}

/** Where a part can be cut: behind its last whole slice. */
export interface PartCut {
  /** Of the rows, and of what is stored of them. */
  readonly bytes: number;
  readonly storedBytes: number;
  readonly rows: number;
  readonly crc: number;
  /** Of the part's rows, hex. */
  readonly sha256: string;
  readonly position: ExportPosition;
}

/** Compressed at a time: each costs about the same, whatever its size. */
const BLOCK_BYTES = 256 * 1024;

/** A part of a file on its way to the storage: compresses it, and counts. */
export class PartContent {
  /** Of the rows. */
  bytes = 0;
  storedBytes = 0;
  cut: PartCut | null = null;
  private readonly hash = createHash('sha256');
  private gathered: Buffer[] = [];
  private gatheredBytes = 0;
  /** The block at work; meanwhile the rows of the next one come. */
  private pending: Promise<Buffer> | undefined;
  /** The cut behind that block, except for how much will be stored up to there. */
  private nextCut: Omit<PartCut, 'storedBytes'> | undefined;

  /** `crc` is that of all rows so far. */
  constructor(
    private readonly rowsBefore: number,
    public crc: number,
  ) {}

  async *pack(content: AsyncIterable<TurnContent>): AsyncGenerator<Buffer, void> {
    for await (const each of content) {
      if (Buffer.isBuffer(each)) {
        this.add(each);
        if (this.gatheredBytes >= BLOCK_BYTES) yield* this.flush();
      } else {
        if (this.gatheredBytes > 0) yield* this.flush();
        this.nextCut = this.cutAt(each.position);
        if (this.pending === undefined) this.settleCut();
      }
    }
    yield* this.flush();
    yield* this.flush();
  }

  private add(rows: Buffer): void {
    this.bytes += rows.length;
    this.gathered.push(rows);
    this.gatheredBytes += rows.length;
    this.crc = crc32(rows, this.crc);
    this.hash.update(rows);
  }

  /** Of the rows so far, hex. */
  get sha256(): string {
    return this.hash.copy().digest('hex');
  }

  private cutAt(position: ExportPosition): Omit<PartCut, 'storedBytes'> {
    const { bytes, crc, sha256, rowsBefore } = this;
    return { bytes, rows: position.rows - rowsBefore, crc, sha256, position };
  }

  private settleCut(): void {
    if (this.nextCut === undefined) return;
    this.cut = { ...this.nextCut, storedBytes: this.storedBytes };
    this.nextCut = undefined;
  }

  /** Gives the block before, and begins with the next. */
  private async *flush(): AsyncGenerator<Buffer, void> {
    const ready = this.pending;
    this.pending = this.gatheredBytes === 0 ? undefined : this.packBlock();
    if (ready === undefined) return;
    const block = await ready;
    this.storedBytes += block.length;
    this.settleCut();
    yield block;
  }

  private packBlock(): Promise<Buffer> {
    const block = this.gathered.length === 1 ? this.gathered[0] : undefined;
    const rows = block ?? Buffer.concat(this.gathered, this.gatheredBytes);
    this.gathered = [];
    this.gatheredBytes = 0;
    const packed = compress(rows);
    // Nothing waits for it if the storage has failed in the meantime.
    packed.catch(() => undefined);
    return packed;
  }
}
