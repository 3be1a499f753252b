import { BoundedMap } from '../../../avalanche/bounded-map.js';

/** Shorter than the pause after a few failures: what has come back is found with one of the next attempts. */
const FORGOTTEN_AFTER_MS = 300_000;
const MAX_IDS = 10_000;

/** Ids of content that no gateway has found in time, for a while. Whatever is beneath one of them is not to be had either. */
export class DeadContent {
  private readonly until = new BoundedMap<string, number>(MAX_IDS);

  constructor(private readonly now: () => number = () => performance.now()) {}

  add(id: string): void {
    this.until.set(id, this.now() + FORGOTTEN_AFTER_MS);
  }

  has(id: string): boolean {
    const until = this.until.get(id);
    if (until === undefined || this.now() < until) return until !== undefined;
    this.until.delete(id);
    return false;
  }
}
