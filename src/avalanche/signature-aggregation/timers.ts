/** Timers that end together. */
export class Timers {
  private readonly running = new Set<NodeJS.Timeout>();

  after(delayMs: number, callback: () => void): NodeJS.Timeout {
    const timer = setTimeout(() => {
      this.running.delete(timer);
      callback();
    }, delayMs);
    this.running.add(timer);
    return timer;
  }

  clear(): void {
    for (const timer of this.running) clearTimeout(timer);
    this.running.clear();
  }
}
