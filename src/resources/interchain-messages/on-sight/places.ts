import { KeyedCounts } from '../../../platform/keyed-counts.js';

/** How many items there may be, in all and of one group. */
interface Limit {
  readonly inAll: number;
  readonly ofGroup: number;
}

export interface Item {
  /** No two items with one id at a time. */
  readonly id: string;
  readonly group: string;
}

/** Work on a few items at a time, the oldest first. What finds no place is refused: neither the work nor the memory is more than the limits. */
export class Places<T extends Item> {
  private readonly waiting: T[] = [];
  private readonly waitingOf = new KeyedCounts();
  private readonly atWorkOf = new KeyedCounts();
  private readonly ids = new Set<string>();

  constructor(
    private readonly limits: { readonly atWork: Limit; readonly waiting: Limit },
    /** Never rejects. */
    private readonly work: (item: T) => Promise<void>,
  ) {}

  /** Items that wait, and those that are worked on. */
  get taken(): number {
    return this.ids.size;
  }

  has(id: string): boolean {
    return this.ids.has(id);
  }

  /** False when there is no place for it. */
  add(item: T): boolean {
    const { inAll, ofGroup } = this.limits.waiting;
    if (this.waiting.length >= inAll || this.waitingOf.of(item.group) >= ofGroup) return false;
    this.ids.add(item.id);
    this.waiting.push(item);
    this.waitingOf.add(item.group, 1);
    this.begin();
    return true;
  }

  private begin(): void {
    const { inAll, ofGroup } = this.limits.atWork;
    while (this.taken - this.waiting.length < inAll) {
      const index = this.waiting.findIndex(({ group }) => this.atWorkOf.of(group) < ofGroup);
      const [next] = index < 0 ? [] : this.waiting.splice(index, 1);
      if (next === undefined) return;
      void this.finish(next);
    }
  }

  private async finish(item: T): Promise<void> {
    this.waitingOf.add(item.group, -1);
    this.atWorkOf.add(item.group, 1);
    await this.work(item);
    this.atWorkOf.add(item.group, -1);
    this.ids.delete(item.id);
    this.begin();
  }
}
