import { Injectable, Module } from '@nestjs/common';
import { Metrics } from '../../../platform/metrics/metrics.js';
import { MetricsModule } from '../../../platform/metrics/metrics.module.js';
import type { IndexPlace } from '../following/index-place.js';

/** Counts stops of an index, which need a person. */
@Injectable()
export class IndexAlarms {
  private readonly stops;
  private readonly differences;

  constructor(metrics: Metrics) {
    this.stops = metrics.counter({
      name: 'nds_index_stops_total',
      help: 'Times that an index had to stop and wait for a person',
      labels: ['network', 'chain'],
    });
    this.differences = metrics.counter({
      name: 'nds_audit_differences_total',
      help: 'Values in the database that differ from those of a node',
      labels: ['network', 'audit'],
    });
  }

  countStop({ network, chain }: IndexPlace): void {
    this.stops.inc({ network, chain });
  }

  countDifferences({ network, audit }: { network: string; audit: string }, count: number): void {
    this.differences.inc({ network, audit }, count);
  }
}

@Module({ imports: [MetricsModule], providers: [IndexAlarms], exports: [IndexAlarms] })
export class IndexAlarmsModule {}
