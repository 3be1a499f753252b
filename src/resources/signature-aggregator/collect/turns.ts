import { KeyedCounts } from '../../../platform/keyed-counts.js';

/** How many things are under way at a time: in one place, and there for one caller. */
export class Turns {
  private readonly taken = new KeyedCounts();

  constructor(
    private readonly maxOfPlace: number,
    private readonly maxOfCaller: number,
  ) {}

  /** Undefined, and nothing done, when there are too many. */
  during<T>(place: string, caller: string, work: () => Promise<T>): Promise<T> | undefined {
    const ofCaller = `${place} ${caller}`;
    if (this.taken.of(place) >= this.maxOfPlace || this.taken.of(ofCaller) >= this.maxOfCaller) {
      return undefined;
    }
    this.taken.add(place, 1);
    this.taken.add(ofCaller, 1);
    return work().finally(() => {
      this.taken.add(place, -1);
      this.taken.add(ofCaller, -1);
    });
  }
}
