/** How many things are under way at a time: in one place, and there for one caller. */
export class Turns {
  private readonly taken = new Map<string, number>();

  constructor(
    private readonly maxOfPlace: number,
    private readonly maxOfCaller: number,
  ) {}

  /** Undefined, and nothing done, when there are too many. */
  during<T>(place: string, caller: string, work: () => Promise<T>): Promise<T> | undefined {
    const ofCaller = `${place} ${caller}`;
    if (this.count(place) >= this.maxOfPlace || this.count(ofCaller) >= this.maxOfCaller) return undefined;
    this.add(place, 1);
    this.add(ofCaller, 1);
    return work().finally(() => {
      this.add(place, -1);
      this.add(ofCaller, -1);
    });
  }

  private count(name: string): number {
    return this.taken.get(name) ?? 0;
  }

  private add(name: string, count: number): void {
    const taken = this.count(name) + count;
    if (taken === 0) this.taken.delete(name);
    else this.taken.set(name, taken);
  }
}
