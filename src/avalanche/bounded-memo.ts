/**
 * Values that follow from their keys: at least those of the last half of `capacity` keys, and never more than `capacity`. One that is
 * known is found without a write; a map in the order of use pays for that order at each use, and many times over once it is full.
 */
export class BoundedMemo<Value extends object | string> {
  private recent = new Map<string, Value>();
  private earlier: ReadonlyMap<string, Value> = new Map();
  private readonly half: number;

  constructor(capacity: number) {
    this.half = Math.ceil(capacity / 2);
  }

  /** What `make` throws leaves nothing behind. */
  get(key: string, make: () => Value): Value {
    const known = this.recent.get(key);
    if (known !== undefined) return known;
    const value = this.earlier.get(key) ?? make();
    if (this.recent.size >= this.half) {
      this.earlier = this.recent;
      this.recent = new Map();
    }
    this.recent.set(key, value);
    return value;
  }
}
