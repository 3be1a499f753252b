const HOUR_MS = 3_600_000;

/** Five minutes of samples. */
const WINDOW = 10;

export interface Sample {
  readonly at: number;
  readonly value: number;
}

/** The least of each window: what a process has only for what it is doing at the moment is not what it keeps. */
export function leastOfEach(samples: readonly Sample[]): Sample[] {
  return Array.from({ length: Math.ceil(samples.length / WINDOW) }, (_, at) =>
    samples
      .slice(at * WINDOW, (at + 1) * WINDOW)
      .reduce((low, each) => (each.value < low.value ? each : low)),
  );
}

/** Of the straight line through the points (least squares), in units an hour; 0 where there is none. */
export function slopePerHour(points: readonly Sample[]): number {
  const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;
  const [meanAt, meanValue] = [mean(points.map(({ at }) => at)), mean(points.map(({ value }) => value))];
  const covariance = points.reduce((sum, { at, value }) => sum + (at - meanAt) * (value - meanValue), 0);
  const variance = points.reduce((sum, { at }) => sum + (at - meanAt) ** 2, 0);
  return variance === 0 ? 0 : (covariance / variance) * HOUR_MS;
}
