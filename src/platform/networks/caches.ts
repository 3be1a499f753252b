import { BoundedMap } from '../../avalanche/bounded-map.js';

export interface RefreshLimits {
  /** How often the value is fetched while it is in use; callers get an older one only if fetching is slow or fails. */
  refreshMs: number;
  /** How old a value may be when fetching takes longer than that, or fails. */
  maxStaleMs: number;
  /** How long after its last reader a value is still fetched. */
  idleMs: number;
}

const DEFAULT_REFRESH_LIMITS: RefreshLimits = { refreshMs: 1_000, maxStaleMs: 30_000, idleMs: 60_000 };

/**
 * A value that changes elsewhere. While it is wanted it is fetched in the background, so that its readers neither wait for it
 * nor fail with whom it comes from: they get the last one, for as long as it may still count.
 */
export class RefreshedValue<T> {
  private last: { value: T; fetchedAtMs: number } | undefined;
  private inFlight: Promise<T> | undefined;
  private wantedAtMs = -Infinity;
  /** Whether a fetch is under way or due, so that `last` is as new as can be had. */
  private isFollowed = false;
  private next: NodeJS.Timeout | undefined;

  constructor(
    private readonly fetch: () => Promise<T>,
    private readonly limits: RefreshLimits = DEFAULT_REFRESH_LIMITS,
  ) {}

  /** Rejects as the fetch does, once no value is left that counts. */
  async get(): Promise<T> {
    this.wantedAtMs = performance.now();
    const { refreshMs, maxStaleMs } = this.limits;
    const { last } = this;
    if (last !== undefined && this.ageMs(last) <= (this.isFollowed ? maxStaleMs : refreshMs)) {
      return last.value;
    }
    try {
      return await this.refresh();
    } catch (error) {
      if (last !== undefined && this.ageMs(last) <= maxStaleMs) return last.value;
      throw error;
    }
  }

  private ageMs({ fetchedAtMs }: { fetchedAtMs: number }): number {
    return performance.now() - fetchedAtMs;
  }

  private refresh(): Promise<T> {
    this.isFollowed = true;
    this.inFlight ??= this.fetchOnce().finally(() => {
      this.inFlight = undefined;
      this.follow();
    });
    return this.inFlight;
  }

  private async fetchOnce(): Promise<T> {
    const startedAtMs = performance.now();
    const value = await this.fetch();
    this.last = { value, fetchedAtMs: startedAtMs };
    return value;
  }

  /** Subnets that do not exist are not asked for again: callers may name any. */
  private follow(): void {
    const { refreshMs, idleMs } = this.limits;
    // Readers may have fetched in between, each of whom would otherwise begin a row of fetches of its own.
    clearTimeout(this.next);
    this.next = setTimeout(() => {
      this.isFollowed = this.last !== undefined && performance.now() - this.wantedAtMs <= idleMs;
      if (this.isFollowed) this.refresh().catch(() => undefined);
    }, refreshMs).unref();
  }
}

/** A value that is fetched so often while it is wanted. */
export function refreshedEvery<T>(refreshMs: number, fetch: () => Promise<T>): RefreshedValue<T> {
  return new RefreshedValue(fetch, { ...DEFAULT_REFRESH_LIMITS, refreshMs });
}

/**
 * A value that is read when somebody asks for it, and at most so often: all who ask within `maxAgeMs` of a reading's beginning share
 * it, whether it is still under way or over. A failure is theirs, too, and is not kept after it.
 */
export class SharedReading<T> {
  private last: { value: Promise<T>; startedAtMs: number } | undefined;

  constructor(
    private readonly maxAgeMs: number,
    private readonly read: () => Promise<T>,
  ) {}

  /** Rejects as the reading does. */
  get(): Promise<T> {
    const { last } = this;
    const isNew = last !== undefined && performance.now() - last.startedAtMs < this.maxAgeMs;
    return isNew ? last.value : this.readNow();
  }

  /** A new reading, for whoever comes with what may be newer than the last one; it is shared from now on. */
  readNow(): Promise<T> {
    const reading = { startedAtMs: performance.now(), value: this.read() };
    this.last = reading;
    reading.value.catch(() => {
      if (this.last === reading) this.last = undefined;
    });
    return reading.value;
  }
}

/** One `SharedReading` for each key: there must be few. */
export class SharedReadings<T> {
  private readonly readings = new Map<string, SharedReading<T>>();

  constructor(private readonly maxAgeMs: number) {}

  /** `read` is that of the key's first caller: the key must contain all that it depends on. */
  get(key: string, read: () => Promise<T>): Promise<T> {
    const reading = this.readings.get(key) ?? new SharedReading(this.maxAgeMs, read);
    this.readings.set(key, reading);
    return reading.get();
  }
}

/** Values that never change once known, least recently used ones dropped; concurrent readers of a key share one call. */
export class LruCache<T> {
  private readonly values: BoundedMap<string, Promise<T>>;

  constructor(capacity: number) {
    this.values = new BoundedMap(capacity);
  }

  get(key: string, fetch: () => Promise<T>): Promise<T> {
    return this.values.use(key, () => {
      const value = fetch();
      value.catch(() => {
        if (this.values.get(key) === value) this.values.delete(key);
      });
      return value;
    });
  }
}
