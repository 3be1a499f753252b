import { setImmediate as nextTurn } from 'node:timers/promises';

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Calls with several items, one after the other: what arrives during a call goes out with the next one. So an idle process makes a
 * call at once, and a busy one few.
 */
export class BatchedCalls<Item, Result> {
  private readonly waiting: Waiting<Item, Result>[] = [];
  private isCalling = false;

  /** `countThatFit`: how many of the items go out together, at least one. */
  constructor(
    private readonly call: (items: Item[]) => Promise<Result>,
    private readonly countThatFit: (items: readonly Item[]) => number = ({ length }) => length,
  ) {}

  /** The result of the call that had the item; rejects as that call did. */
  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      if (!this.isCalling) void this.callWithAll();
    });
  }

  private async callWithAll(): Promise<void> {
    this.isCalling = true;
    // Calls of the same turn belong together.
    await nextTurn();
    while (this.waiting.length > 0) {
      const count = this.countThatFit(this.waiting.map(({ item }) => item));
      const batch = this.waiting.splice(0, Math.max(count, 1));
      try {
        const result = await this.call(batch.map(({ item }) => item));
        for (const { resolve } of batch) resolve(result);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.isCalling = false;
  }
}
