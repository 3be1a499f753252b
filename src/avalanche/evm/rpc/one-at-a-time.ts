/** Lets one begin when all who came before it have ended. */
export class OneAtATime {
  private last: Promise<void> = Promise.resolve();

  /** Returns what ends it. */
  async begin(): Promise<() => void> {
    const { last } = this;
    let end!: () => void;
    this.last = new Promise((resolve) => {
      end = resolve;
    });
    await last;
    return end;
  }
}
