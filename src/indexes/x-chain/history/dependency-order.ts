import { setImmediate as nextTurn } from 'node:timers/promises';
import { AvmError } from '../../../avalanche/avm/avm.error.js';
import type { Id } from '../../../avalanche/platformvm/ids.js';
import { GrowingList } from './growing-list.js';
import { IdNumbers } from './id-numbers.js';

/** Two ids of one chain that agree in 128 bits of sha256 would have had to be searched for. */
const KEPT_BYTES = 16;
const NONE = -1;
/** Other work of the process waits no longer than for so many. */
const PER_TURN = 10_000;

/**
 * Orders transactions so that each comes after those whose outputs it spends (Kahn's algorithm), of those that could come next always
 * the one that was added first: the order depends on nothing else. Per transaction with two inputs it takes about 60 bytes, none of
 * them on the heap.
 */
export class DependencyOrder {
  private readonly numbers = new IdNumbers(KEPT_BYTES);
  /** By number of an id: its rank, which is its place among what was added; none for what was only named. */
  private readonly ranks = new GrowingList();
  /** By number of an id: the first entry of what waits for it. */
  private readonly firstWaiting = new GrowingList();
  /** Entries: who waits, and the next entry for the same id. */
  private readonly waiting = new GrowingList();
  private readonly nextWaiting = new GrowingList();
  /** By rank: the id's number, and how many entries have it waiting. */
  private readonly numberOf = new GrowingList();
  private readonly missing = new GrowingList();
  /** The ranks that could come next, as a heap with the smallest first. */
  private readonly ready = new GrowingList();

  /** How many were added. */
  get size(): number {
    return this.numberOf.length;
  }

  /** Whether it is new: what is added again counts where it was added first. */
  add(id: Id, dependencies: readonly Id[]): boolean {
    const number = this.number(id);
    if (this.ranks.at(number) !== NONE) return false;
    const rank = this.size;
    this.ranks.set(number, rank);
    this.numberOf.push(number);
    this.missing.push(dependencies.length);
    for (const dependency of dependencies) {
      const on = this.number(dependency);
      this.nextWaiting.push(this.firstWaiting.at(on));
      this.firstWaiting.set(on, this.waiting.length);
      this.waiting.push(rank);
    }
    return true;
  }

  /** All ranks in order; afterwards nothing is left. Ids that were only named depend on nobody. Throws AvmError STATE_MISMATCH. */
  async sort(): Promise<Int32Array> {
    const ordered = new Int32Array(this.size);
    for (let number = 0; number < this.numbers.count; number++) {
      if (this.ranks.at(number) === NONE) this.release(number);
      if (number % PER_TURN === 0) await nextTurn();
    }
    for (let rank = 0; rank < this.size; rank++) if (this.missing.at(rank) === 0) this.put(rank);
    for (let place = 0; place < ordered.length; place++) {
      const rank = this.take();
      if (rank === undefined) {
        throw new AvmError(
          'STATE_MISMATCH',
          `${ordered.length - place} transactions depend on each other in a circle`,
        );
      }
      ordered[place] = rank;
      for (const freed of this.release(this.numberOf.at(rank))) this.put(freed);
      if (place % PER_TURN === 0) await nextTurn();
    }
    return ordered;
  }

  private number(id: Id): number {
    const number = this.numbers.of(id);
    if (number === this.ranks.length) {
      this.ranks.push(NONE);
      this.firstWaiting.push(NONE);
    }
    return number;
  }

  /** Those that waited for this only. */
  private release(number: number): number[] {
    const freed: number[] = [];
    for (let entry = this.firstWaiting.at(number); entry !== NONE; entry = this.nextWaiting.at(entry)) {
      const rank = this.waiting.at(entry);
      const left = this.missing.at(rank) - 1;
      this.missing.set(rank, left);
      if (left === 0) freed.push(rank);
    }
    return freed;
  }

  private put(rank: number): void {
    const { ready } = this;
    let place = ready.length;
    ready.push(rank);
    while (place > 0) {
      const above = (place - 1) >> 1;
      if (ready.at(above) <= rank) break;
      ready.set(place, ready.at(above));
      place = above;
    }
    ready.set(place, rank);
  }

  private take(): number | undefined {
    const { ready } = this;
    const last = ready.pop();
    if (last === undefined || ready.length === 0) return last;
    const first = ready.at(0);
    let place = 0;
    for (;;) {
      let below = 2 * place + 1;
      if (below >= ready.length) break;
      if (below + 1 < ready.length && ready.at(below + 1) < ready.at(below)) below += 1;
      if (ready.at(below) >= last) break;
      ready.set(place, ready.at(below));
      place = below;
    }
    ready.set(place, last);
    return first;
  }
}
