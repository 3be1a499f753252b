import { setTimeout as delay } from 'node:timers/promises';
import { evmChainKey, type EvmChainRef } from '../../../platform/database/chains.js';

/** Counts how often this process has written of each chain: whoever waits for more is woken, instead of asking the database again and again. */
export class ChainChanges {
  private readonly counts = new Map<bigint, number>();
  private readonly sleepers = new Map<bigint, Set<() => void>>();

  countOf(chain: EvmChainRef): number {
    return this.counts.get(evmChainKey(chain)) ?? 0;
  }

  note(chain: EvmChainRef): void {
    const key = evmChainKey(chain);
    this.counts.set(key, this.countOf(chain) + 1);
    for (const wake of this.sleepers.get(key) ?? []) wake();
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
    const sleepers = this.sleepers.get(key) ?? new Set();
    this.sleepers.set(key, sleepers.add(wake));
    try {
      await delay(maxMs, undefined, { signal: AbortSignal.any([signal, woken.signal]) });
    } catch {
      signal.throwIfAborted();
    } finally {
      sleepers.delete(wake);
    }
  }
}
