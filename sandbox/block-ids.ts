import type { Id } from '../src/avalanche/platformvm/ids.js';
import { ID_LENGTH } from '../src/avalanche/ids/id.js';

const INITIAL_CAPACITY = 256;
/** Slots per id that there is room for: few ids then share a slot. */
const SLOTS_PER_ID = 2;

/**
 * Ids of a chain's blocks by height, and heights by id. 40 bytes a block, 80 right after it has grown: chains of a million blocks are
 * served, and maps of strings would take several times that.
 */
export class BlockIds {
  private count = 0;
  private ids = Buffer.alloc(INITIAL_CAPACITY * ID_LENGTH);
  /** Height + 1, in the slot that the id's first bytes give or the next free one. */
  private slots = new Uint32Array(INITIAL_CAPACITY * SLOTS_PER_ID);

  /** Height of the next block. */
  get length(): number {
    return this.count;
  }

  at(height: number): Id | undefined {
    if (height < 0 || height >= this.count) return undefined;
    return this.ids.toString('hex', height * ID_LENGTH, (height + 1) * ID_LENGTH);
  }

  heightOf(id: Id): number | undefined {
    const bytes = Buffer.from(id, 'hex');
    if (bytes.length !== ID_LENGTH) return undefined;
    for (let slot = this.slotOf(bytes.readUInt32BE()); ; slot = this.after(slot)) {
      const height = (this.slots[slot] ?? 0) - 1;
      if (height < 0) return undefined;
      const start = height * ID_LENGTH;
      if (this.ids.compare(bytes, 0, ID_LENGTH, start, start + ID_LENGTH) === 0) return height;
    }
  }

  add(id: Id): void {
    if (this.count * ID_LENGTH === this.ids.length) this.grow();
    this.ids.write(id, this.count * ID_LENGTH, 'hex');
    this.enter(this.count);
    this.count += 1;
  }

  private grow(): void {
    this.ids = Buffer.concat([this.ids, Buffer.alloc(this.ids.length)]);
    this.slots = new Uint32Array(this.slots.length * 2);
    for (let height = 0; height < this.count; height++) this.enter(height);
  }

  private enter(height: number): void {
    let slot = this.slotOf(this.ids.readUInt32BE(height * ID_LENGTH));
    while (this.slots[slot] !== 0) slot = this.after(slot);
    this.slots[slot] = height + 1;
  }

  private slotOf(firstBytes: number): number {
    return firstBytes % this.slots.length;
  }

  private after(slot: number): number {
    return (slot + 1) % this.slots.length;
  }
}
