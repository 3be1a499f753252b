/** The newest entries: one that is set is the newest, and beyond `capacity` the oldest is dropped. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  constructor(private readonly capacity: number) {
    super();
  }

  override set(key: Key, value: Value): this {
    this.delete(key);
    super.set(key, value);
    if (this.size > this.capacity) {
      const oldest = this.keys().next();
      if (!oldest.done) this.delete(oldest.value);
    }
    return this;
  }

  /** The key's value, from now on the newest; made where there is none. What `make` throws leaves nothing behind. */
  use(key: Key, make: () => Value): Value {
    const value = this.get(key) ?? make();
    this.set(key, value);
    return value;
  }
}
