import { Injectable, Module } from '@nestjs/common';
import { Metrics } from '../../metrics/metrics.js';
import { MetricsModule } from '../../metrics/metrics.module.js';
import { ApiError } from './api-error.js';

/** Things that a caller may have so many of, for people. */
const QUOTAS = {
  waiting_aggregations: 'waiting aggregations',
  running_exports: 'running exports',
  stored_exports: 'stored exports',
  stored_bytes: 'bytes of stored exports',
  node_calls: 'calls to nodes for exports today',
  open_streams: 'open streams of changes',
} as const;

type Quota = keyof typeof QUOTAS;
const OTHERS = ['rate_limit', 'unknown_key', 'export_storage_full', 'index_lag', 'streams_full'] as const;

/** Requests that are refused because a limit is reached, or something is full or late. */
@Injectable()
export class Refusals {
  private readonly refusals;

  constructor(metrics: Metrics) {
    this.refusals = metrics.counter({
      name: 'nds_refused_requests_total',
      help: 'Requests that were refused: by the limits of a plan, or because storage is full or an index is late',
      labels: ['reason'],
    });
    // A counter that begins with its first refusal would hide it: its increase would not be visible.
    for (const reason of [...Object.keys(QUOTAS), ...OTHERS]) this.refusals.inc({ reason }, 0);
  }

  /** Counts the refusal, and throws its answer. */
  refuse(reason: Quota | (typeof OTHERS)[number], answer: ApiError): never {
    this.refusals.inc({ reason });
    throw answer;
  }

  /** Throws the 429 of a caller who has reached a limit of his plan. */
  hold(quota: Quota, count: number, max: number, retryAfterSeconds?: number): void {
    if (count < max) return;
    const message = `the limit of ${max} ${QUOTAS[quota]} is reached; you have ${count}`;
    this.refuse(quota, new ApiError(429, message, { retryAfterSeconds }));
  }
}

@Module({ imports: [MetricsModule], providers: [Refusals], exports: [Refusals] })
export class RefusalsModule {}
