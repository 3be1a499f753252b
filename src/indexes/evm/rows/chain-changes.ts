import { setTimeout as delay } from 'node:timers/promises';
import { evmChainKey, type EvmChainRef } from '../../../platform/database/chains.js';
import { inStep } from '../../../platform/in-step.js';

/** How often it is looked whether other processes have written, for all chains at once. */
const WATCH_INTERVAL_MS = 3_000;

/** What is on record of a chain, in short: another text once something was written. */
export interface ChainMark {
  readonly chain: EvmChainRef;
  readonly mark: string;
}

/** The marks of those of the chains that have another one than this; an empty one is none's. */
export type FindChangedMarks = (known: readonly ChainMark[]) => Promise<readonly ChainMark[]>;

/**
 * Counts how often each chain was written: whoever waits for more is woken, instead of asking the database again and again. What this
 * process has written is noted at once, what others have is found by `findChanged` while somebody waits.
 */
export class ChainChanges {
  private readonly counts = new Map<bigint, number>();
  private readonly sleepers = new Map<bigint, { chain: EvmChainRef; wakes: Set<() => void> }>();
  private readonly marks = new Map<bigint, string>();
  private watching: NodeJS.Timeout | undefined;

  constructor(private readonly findChanged?: FindChangedMarks) {}

  countOf(chain: EvmChainRef): number {
    return this.counts.get(evmChainKey(chain)) ?? 0;
  }

  note(chain: EvmChainRef): void {
    const key = evmChainKey(chain);
    this.counts.set(key, this.countOf(chain) + 1);
    for (const wake of this.sleepers.get(key)?.wakes ?? []) wake();
  }

  /** Until there are more than `seen`, or the time is over. Rejects when it is aborted. */
  async wait(
    chain: EvmChainRef,
    seen: number,
    { maxMs, signal }: { maxMs: number; signal: AbortSignal },
  ): Promise<void> {
    if (this.countOf(chain) > seen || maxMs <= 0) return;
    const key = evmChainKey(chain);
    const woken = new AbortController();
    const wake = (): void => woken.abort();
    const sleepers = this.sleepers.get(key) ?? { chain, wakes: new Set() };
    this.sleepers.set(key, sleepers);
    sleepers.wakes.add(wake);
    this.watch();
    try {
      await delay(inStep(maxMs), undefined, { signal: AbortSignal.any([signal, woken.signal]) });
    } catch {
      signal.throwIfAborted();
    } finally {
      sleepers.wakes.delete(wake);
    }
  }

  private watch(): void {
    if (this.findChanged === undefined) return;
    this.watching ??= setTimeout(() => {
      void this.lookAtMarks()
        .catch(() => undefined) // whoever waits looks by himself in the end
        .finally(() => {
          this.watching = undefined;
          if (this.awaited().length > 0) this.watch();
        });
    }, WATCH_INTERVAL_MS).unref();
  }

  /** A chain that is seen for the first time may have been written since whoever waits has looked. */
  private async lookAtMarks(): Promise<void> {
    const known = this.awaited().map((chain) => ({ chain, mark: this.marks.get(evmChainKey(chain)) ?? '' }));
    if (known.length === 0) return;
    for (const { chain, mark } of (await this.findChanged?.(known)) ?? []) {
      this.marks.set(evmChainKey(chain), mark);
      this.note(chain);
    }
  }

  private awaited(): EvmChainRef[] {
    return [...this.sleepers.values()].filter(({ wakes }) => wakes.size > 0).map(({ chain }) => chain);
  }
}
