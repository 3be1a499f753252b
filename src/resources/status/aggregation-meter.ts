import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type FinishedRequest, FinishedRequests } from '../../platform/http/requests/finished-requests.js';
import { routePathOf } from '../../platform/http/requests/route-path.js';
import { bucketOf } from '../../platform/metrics/latency-bucket.js';

/** Used in place of a bucket number: aggregations that failed. */
export const FAILED = -32_768;

const AGGREGATIONS = /^\/v1\/signatureAggregator\/\{network\}\/aggregateSignatures|^\/aggregate-signatures$/;

/** Counts the aggregations that this process has answered, by duration, until the counts are collected. */
@Injectable()
export class AggregationMeter implements OnModuleInit {
  private counts = new Map<number, number>();

  constructor(private readonly requests: FinishedRequests) {}

  onModuleInit(): void {
    this.requests.forEach((finished) => this.note(finished));
  }

  take(): ReadonlyMap<number, number> {
    const taken = this.counts;
    this.counts = new Map();
    return taken;
  }

  /** Counts that could not be stored. */
  giveBack(taken: ReadonlyMap<number, number>): void {
    for (const [bucket, count] of taken) this.add(bucket, count);
  }

  /** Mistakes of callers are no sign of the service's health. */
  private note({ request, status, durationMs }: FinishedRequest): void {
    if (status === undefined || (status >= 300 && status < 500)) return;
    if (!AGGREGATIONS.test(routePathOf(request))) return;
    this.add(status < 300 ? bucketOf(durationMs) : FAILED, 1);
  }

  private add(bucket: number, count: number): void {
    this.counts.set(bucket, (this.counts.get(bucket) ?? 0) + count);
  }
}
