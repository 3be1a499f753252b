const HOUR_MS = 3_600_000;

const WINDOW_MS = 5 * 60_000;

export interface Sample {
  readonly at: number;
  readonly value: number;
}

/** The least of each five minutes: what a process has only for what it is doing at the moment is not what it keeps. */
export function leastOfEach(samples: readonly Sample[]): Sample[] {
  const first = samples[0]?.at ?? 0;
  const least = new Map<number, Sample>();
  for (const sample of samples) {
    const window = Math.floor((sample.at - first) / WINDOW_MS);
    const low = least.get(window);
    if (low === undefined || sample.value < low.value) least.set(window, sample);
  }
  return [...least.values()];
}

/** Of the straight line through the points (least squares), in units an hour; 0 where there is none. */
export function slopePerHour(points: readonly Sample[]): number {
  const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;
  const [meanAt, meanValue] = [mean(points.map(({ at }) => at)), mean(points.map(({ value }) => value))];
  const covariance = points.reduce((sum, { at, value }) => sum + (at - meanAt) * (value - meanValue), 0);
  const variance = points.reduce((sum, { at }) => sum + (at - meanAt) ** 2, 0);
  return variance === 0 ? 0 : (covariance / variance) * HOUR_MS;
}
