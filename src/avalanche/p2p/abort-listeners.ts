const listenersOf = new WeakMap<AbortSignal, AbortListeners>();

/**
 * Calls `listener` when the signal aborts, unless the returned function was called before. Many requests wait on one signal, and
 * Node walks through all listeners of a signal whenever one is added or removed: these share one.
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  const listeners = listenersOf.get(signal) ?? new AbortListeners(signal);
  listenersOf.set(signal, listeners);
  return listeners.add(listener);
}

class AbortListeners {
  private readonly listeners = new Set<() => void>();
  private readonly callAll = (): void => this.listeners.forEach((listener) => listener());

  constructor(private readonly signal: AbortSignal) {}

  add(listener: () => void): () => void {
    if (this.listeners.size === 0) this.signal.addEventListener('abort', this.callAll, { once: true });
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size === 0) this.signal.removeEventListener('abort', this.callAll);
    };
  }
}
