import { setImmediate as nextTurn } from 'node:timers/promises';

/** Long work in pieces, between which the process gets to everything else that waits for it. */
export class Turns {
  private startedMs = performance.now();

  constructor(private readonly maxMs: number) {}

  /** Goes on when others have had their turn, if the own one is over. */
  async next(): Promise<void> {
    if (performance.now() - this.startedMs <= this.maxMs) return;
    await nextTurn();
    this.startedMs = performance.now();
  }
}
