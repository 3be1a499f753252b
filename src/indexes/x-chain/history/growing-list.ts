const FIRST_CAPACITY = 1024;

/** Integers of 32 bits one after the other, outside of the heap: a list of numbers takes twice as much or more. */
export class GrowingList {
  private values = new Int32Array(FIRST_CAPACITY);
  private size = 0;

  get length(): number {
    return this.size;
  }

  push(value: number): void {
    if (this.size === this.values.length) {
      const larger = new Int32Array(2 * this.size);
      larger.set(this.values);
      this.values = larger;
    }
    this.values[this.size++] = value;
  }

  pop(): number | undefined {
    return this.size === 0 ? undefined : this.values[--this.size];
  }

  /** Throws RangeError beyond the end. */
  at(index: number): number {
    const value = index < this.size ? this.values[index] : undefined;
    if (value === undefined) throw new RangeError(`${index} of ${this.size}`);
    return value;
  }

  set(index: number, value: number): void {
    this.values[index] = value;
  }
}
