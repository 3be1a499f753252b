/** Shares of a new value in the mean and in the deviation from it, and how many deviations are waited for (RFC 6298). */
const MEAN_SHARE = 1 / 8;
const DEVIATION_SHARE = 1 / 4;
const DEVIATIONS = 4;
const MAX_PATIENCE_MS = 2_500;

/**
 * How long validators take to answer at present, estimated as TCP estimates round trips. It grows with the distance, and when this process or
 * the line is busy: asking more validators then would only make all requests wait longer.
 */
export class AnswerTimes {
  private mean: number | undefined;
  private deviation = 0;

  observe(elapsedMs: number): void {
    if (this.mean === undefined) {
      this.mean = elapsedMs;
      this.deviation = elapsedMs / 2;
      return;
    }
    this.deviation += DEVIATION_SHARE * (Math.abs(elapsedMs - this.mean) - this.deviation);
    this.mean += MEAN_SHARE * (elapsedMs - this.mean);
  }

  /** Time in which nearly all of the answers have arrived, in milliseconds; zero while there are none. */
  get patienceMs(): number {
    return this.mean === undefined ? 0 : Math.min(this.mean + DEVIATIONS * this.deviation, MAX_PATIENCE_MS);
  }
}
