import type { Id } from '../../../avalanche/platformvm/ids.js';
import { ID_LENGTH } from '../../../avalanche/ids/id.js';

const FIRST_CAPACITY = 1024;
const EMPTY = -1;

/** Numbers ids from 0 on as they come. Outside of the heap: a map of strings takes ten times as much. */
export class IdNumbers {
  private size = 0;
  private ids: Buffer;
  /** The numbers by hashes, every other place empty. */
  private slots = new Int32Array(2 * FIRST_CAPACITY).fill(EMPTY);

  /** `keptBytes`: how much of an id distinguishes it from all others. */
  constructor(private readonly keptBytes = ID_LENGTH) {
    this.ids = Buffer.alloc(FIRST_CAPACITY * keptBytes);
  }

  get count(): number {
    return this.size;
  }

  /** The number of an id, which is `count` if it is new. */
  of(id: Id): number {
    const key = Buffer.from(id.slice(0, 2 * this.keptBytes), 'hex');
    const slot = this.slotOf(key);
    const known = this.slots[slot];
    if (known !== undefined && known !== EMPTY) return known;
    const number = this.size++;
    this.slots[slot] = number;
    key.copy(this.ids, number * this.keptBytes);
    if (2 * this.size === this.slots.length) this.grow();
    return number;
  }

  /** The kept part of an id. */
  at(number: number): Id {
    const start = number * this.keptBytes;
    return this.ids.toString('hex', start, start + this.keptBytes);
  }

  private slotOf(key: Buffer): number {
    const mask = this.slots.length - 1;
    let slot = key.readUInt32BE(0) & mask;
    for (;;) {
      const number = this.slots[slot];
      if (number === undefined || number === EMPTY || this.isAt(number, key)) return slot;
      slot = (slot + 1) & mask;
    }
  }

  private isAt(number: number, key: Buffer): boolean {
    const start = number * this.keptBytes;
    return key.compare(this.ids, start, start + this.keptBytes) === 0;
  }

  private grow(): void {
    const { ids } = this;
    this.ids = Buffer.alloc(2 * ids.length);
    ids.copy(this.ids);
    this.slots = new Int32Array(2 * this.slots.length).fill(EMPTY);
    for (let number = 0; number < this.size; number++) {
      const start = number * this.keptBytes;
      this.slots[this.slotOf(ids.subarray(start, start + this.keptBytes))] = number;
    }
  }
}
