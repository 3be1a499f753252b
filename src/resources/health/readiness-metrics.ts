import { Injectable } from '@nestjs/common';
import { Metrics } from '../../platform/metrics/metrics.js';
import { Readiness } from './readiness.js';

/** The process itself, as its probes see it. */
@Injectable()
export class ReadinessMetrics {
  constructor(metrics: Metrics, readiness: Readiness) {
    const ready = metrics.gauge({
      name: 'nds_ready',
      help: '1 while the process can work; needs names the dependency: all of them, the database, Temporal, or peers where the process signs',
      labels: ['needs'],
    });
    metrics.onScrape([ready], async () => {
      const {
        status,
        details: { database, temporal, peers },
      } = await readiness.check();
      return () => {
        ready.set({ needs: 'all' }, status === 'ok' ? 1 : 0);
        for (const [needs, part] of Object.entries({ database, temporal, peers })) {
          if (part !== undefined) ready.set({ needs }, part.status === 'up' ? 1 : 0);
        }
      };
    });
  }
}
