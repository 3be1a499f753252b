import { z } from 'zod';

/** What a number of equal requests took. */
export const MeasurementSchema = z.object({
  count: z.number(),
  p50Ms: z.number(),
  p95Ms: z.number(),
  p99Ms: z.number(),
  perSecond: z.number(),
});
export type Measurement = z.infer<typeof MeasurementSchema>;

/** Lets `callers` call one after the other, `count` times in all. */
export async function measure(options: {
  count: number;
  callers?: number;
  call: () => Promise<unknown>;
}): Promise<Measurement> {
  const timesMs: number[] = [];
  let left = options.count;
  const caller = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const startedAt = performance.now();
      await options.call();
      timesMs.push(performance.now() - startedAt);
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: options.callers ?? 1 }, caller));
  return summarise(timesMs, performance.now() - startedAt);
}

function summarise(timesMs: readonly number[], totalMs: number): Measurement {
  const sorted = timesMs.toSorted((a, b) => a - b);
  return {
    count: sorted.length,
    p50Ms: percentile(sorted, 50),
    p95Ms: percentile(sorted, 95),
    p99Ms: percentile(sorted, 99),
    perSecond: (sorted.length * 1000) / totalMs,
  };
}

/** Nearest rank. */
function percentile(sorted: readonly number[], percent: number): number {
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)] ?? NaN;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? NaN)
    : ((sorted[middle - 1] ?? NaN) + (sorted[middle] ?? NaN)) / 2;
}

/** The median of each number over several rounds. */
export function medianOf(rounds: readonly Measurement[]): Measurement {
  const of = (pick: (round: Measurement) => number): number => median(rounds.map(pick));
  return {
    count: rounds.reduce((sum, { count }) => sum + count, 0),
    p50Ms: of(({ p50Ms }) => p50Ms),
    p95Ms: of(({ p95Ms }) => p95Ms),
    p99Ms: of(({ p99Ms }) => p99Ms),
    perSecond: of(({ perSecond }) => perSecond),
  };
}

export interface Comparison {
  ours: Measurement;
  reference: Measurement;
  /** Median of the rounds' ratios: what slows the machine down for a while slows down both. */
  p50Ratio: number;
  rateRatio: number;
}

/** Measures two things in turn, the first one alternating, because the machine is never quiet for long. */
export async function compare(options: {
  rounds: number;
  ours: () => Promise<Measurement>;
  reference: () => Promise<Measurement>;
}): Promise<Comparison> {
  const ours: Measurement[] = [];
  const reference: Measurement[] = [];
  for (let round = 0; round < options.rounds; round++) {
    if (round % 2 === 0) ours.push(await options.ours());
    reference.push(await options.reference());
    if (round % 2 === 1) ours.push(await options.ours());
  }
  const ratio = (pick: (measurement: Measurement) => number): number =>
    median(ours.map((measurement, round) => pick(measurement) / pick(reference[round] ?? measurement)));
  return {
    ours: medianOf(ours),
    reference: medianOf(reference),
    p50Ratio: ratio(({ p50Ms }) => p50Ms),
    rateRatio: ratio(({ perSecond }) => perSecond),
  };
}
