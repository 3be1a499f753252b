import { z } from 'zod';
import { processorMsOf } from './machine.js';

/** Durations of the calls of one stretch of time. */
export const SampleSchema = z.object({
  timesMs: z.array(z.number()),
  totalMs: z.number(),
  /** Processor time of the process that was measured, where it is known. */
  processorMs: z.number().optional(),
});
export type Sample = z.infer<typeof SampleSchema>;

export interface Summary {
  p50Ms: number;
  p95Ms: number;
  p99Ms: number;
  perSecond: number;
  /** Processor time per call; NaN where it is not known. */
  processorMs: number;
}

/** Lets each of the callers call one time after the other until the time is over; at least once each. */
export async function measure(options: {
  forMs: number;
  callers?: number;
  /** Whose processor time is counted. */
  processId?: number;
  call: () => Promise<unknown>;
}): Promise<Sample> {
  const timesMs: number[] = [];
  const processorBeforeMs = processorMsOf(options.processId);
  const startedAtMs = performance.now();
  const caller = async (): Promise<void> => {
    do {
      const calledAtMs = performance.now();
      await options.call();
      timesMs.push(performance.now() - calledAtMs);
    } while (performance.now() - startedAtMs < options.forMs);
  };
  await Promise.all(Array.from({ length: options.callers ?? 1 }, caller));
  const totalMs = performance.now() - startedAtMs;
  const processorMs = processorMsOf(options.processId) - processorBeforeMs;
  return { timesMs, totalMs, ...(Number.isNaN(processorMs) ? {} : { processorMs }) };
}

/** All samples as if they were one. */
export function summarise(samples: readonly Sample[]): Summary {
  const timesMs = samples.flatMap((sample) => sample.timesMs);
  const totalMs = samples.reduce((sum, sample) => sum + sample.totalMs, 0);
  return {
    p50Ms: percentile(timesMs, 50),
    p95Ms: percentile(timesMs, 95),
    p99Ms: percentile(timesMs, 99),
    perSecond: (timesMs.length * 1000) / totalMs,
    processorMs: samples.reduce((sum, { processorMs = NaN }) => sum + processorMs, 0) / timesMs.length,
  };
}

/** Nearest rank. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)] ?? NaN;
}

export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

export interface Comparison {
  ours: Summary;
  reference: Summary;
  /** Medians of the rounds' ratios: what slows the machine down for a while slows down both. */
  p50Ratio: number;
  rateRatio: number;
}

/** Measures two things in turn, the first one alternating, because the machine is never quiet for long. */
export async function compare(options: {
  /** An odd number, so that the median is one of them. */
  rounds: number;
  ours: () => Promise<Sample>;
  reference: () => Promise<Sample>;
}): Promise<Comparison> {
  const ours: Sample[] = [];
  const reference: Sample[] = [];
  for (let round = 0; round < options.rounds; round++) {
    if (round % 2 === 0) ours.push(await options.ours());
    reference.push(await options.reference());
    if (round % 2 === 1) ours.push(await options.ours());
  }
  const ratio = (pick: (summary: Summary) => number): number =>
    median(
      ours.map(
        (sample, round) => pick(summarise([sample])) / pick(summarise(reference.slice(round, round + 1))),
      ),
    );
  return {
    ours: summarise(ours),
    reference: summarise(reference),
    p50Ratio: ratio(({ p50Ms }) => p50Ms),
    rateRatio: ratio(({ perSecond }) => perSecond),
  };
}
