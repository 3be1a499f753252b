import { Injectable, Module } from '@nestjs/common';
import { Metrics } from '../../metrics/metrics.js';
import { MetricsModule } from '../../metrics/metrics.module.js';

const REASONS = [
  'rate_limit',
  'unknown_key',
  'waiting_aggregations',
  'running_exports',
  'stored_exports',
  'stored_bytes',
  'scanned_blocks',
  'export_storage_full',
  'index_lag',
] as const;

export type RefusalReason = (typeof REASONS)[number];

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
    for (const reason of REASONS) this.refusals.inc({ reason }, 0);
  }

  count(reason: RefusalReason): void {
    this.refusals.inc({ reason });
  }
}

@Module({ imports: [MetricsModule], providers: [Refusals], exports: [Refusals] })
export class RefusalsModule {}
