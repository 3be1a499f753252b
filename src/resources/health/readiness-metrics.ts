import { Injectable } from '@nestjs/common';
import { Metrics } from '../../platform/metrics/metrics.js';
import { Readiness } from './readiness.js';

/** The process itself, as its probes see it. */
@Injectable()
export class ReadinessMetrics {
  constructor(metrics: Metrics, readiness: Readiness) {
    const ready = metrics.gauge({
      name: 'nds_ready',
      help: '1 while the process can work; needs names the dependency: all of them, the database, or Temporal',
      labels: ['needs'],
    });
    metrics.onScrape([ready], async () => {
      const { status, details } = await readiness.check();
      return () => {
        ready.set({ needs: 'all' }, status === 'ok' ? 1 : 0);
        for (const needs of ['database', 'temporal'] as const) {
          ready.set({ needs }, details[needs].status === 'up' ? 1 : 0);
        }
      };
    });
  }
}
