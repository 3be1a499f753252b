/** Writes one batch while the next one is read. */
export class WriteBehind {
  private writing: Promise<void> = Promise.resolve();

  /** Begins with a batch once the one before is written. Throws what became of that one. */
  async begin(write: () => Promise<void>): Promise<void> {
    await this.writing;
    this.writing = write();
    this.writing.catch(() => undefined); // looked at by the next one
  }

  /** The last one's end: nothing may still be written when the next attempt, here or in another process, reads the checkpoint. */
  settle(): Promise<void> {
    return this.writing;
  }
}
