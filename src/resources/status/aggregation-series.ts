import { FAILED } from './aggregation-meter.js';
import { quantileOf } from '../../platform/metrics/latency-bucket.js';
import { SLOT_SECONDS, type SlotCount, SLOTS } from './process.repository.js';
import type { AggregationSlotResponse, AggregationStatusResponse } from './dto/status.response.js';

/** Slot by slot, those in which nothing happened too. */
export function toSeries(counts: readonly SlotCount[]): AggregationStatusResponse {
  const bySlot = new Map<number, Map<number, number>>();
  for (const { slotsAgo, bucket, aggregations } of counts) {
    bySlot.set(slotsAgo, (bySlot.get(slotsAgo) ?? new Map<number, number>()).set(bucket, aggregations));
  }
  const slots = Array.from({ length: SLOTS }, (_, index) => toSlot(bySlot.get(SLOTS - 1 - index)));
  return { slotSeconds: SLOT_SECONDS, slots };
}

export function toSlot(counts: ReadonlyMap<number, number> = new Map()): AggregationSlotResponse {
  const failed = counts.get(FAILED) ?? 0;
  const times = new Map([...counts].filter(([bucket]) => bucket !== FAILED));
  const signed = [...times.values()].reduce((sum, count) => sum + count, 0);
  if (signed === 0) return { signed, failed };
  const [medianMs, p95Ms, p99Ms] = [0.5, 0.95, 0.99].map((share) => quantileOf(times, share));
  return { signed, failed, medianMs, p95Ms, p99Ms };
}
