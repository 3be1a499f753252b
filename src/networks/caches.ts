/**
 * One value that is fetched at most once per `ttlMs`, by one caller for all: concurrent readers share the call in flight.
 * A failed call is not kept.
 */
export class TtlValue<T> {
  private value: { read: T; expiresAtMs: number } | undefined;
  private inFlight: Promise<T> | undefined;

  constructor(
    private readonly ttlMs: number,
    private readonly fetch: () => Promise<T>,
  ) {}

  async get(): Promise<T> {
    if (this.value !== undefined && performance.now() < this.value.expiresAtMs) return this.value.read;
    this.inFlight ??= this.refresh().finally(() => (this.inFlight = undefined));
    return this.inFlight;
  }

  private async refresh(): Promise<T> {
    const read = await this.fetch();
    this.value = { read, expiresAtMs: performance.now() + this.ttlMs };
    return read;
  }
}

/** Values that never change once known, least recently used ones dropped; concurrent readers of a key share one call. */
export class LruCache<T> {
  private readonly values = new Map<string, Promise<T>>();

  constructor(private readonly capacity: number) {}

  get(key: string, fetch: () => Promise<T>): Promise<T> {
    const known = this.values.get(key);
    if (known !== undefined) {
      this.values.delete(key);
      this.values.set(key, known);
      return known;
    }
    const value = fetch();
    this.values.set(key, value);
    value.catch(() => this.forget(key, value));
    if (this.values.size > this.capacity) {
      const oldest = this.values.keys().next();
      if (!oldest.done) this.values.delete(oldest.value);
    }
    return value;
  }

  private forget(key: string, value: Promise<T>): void {
    if (this.values.get(key) === value) this.values.delete(key);
  }
}
