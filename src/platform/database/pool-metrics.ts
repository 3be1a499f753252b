import { Injectable } from '@nestjs/common';
import { Metrics } from '../metrics/metrics.js';
import { Database } from './database.js';

/** How busy the process's connections to Postgres are. */
@Injectable()
export class PoolMetrics {
  constructor(metrics: Metrics, database: Database) {
    const connections = metrics.gauge({
      name: 'nds_database_connections',
      help: 'Connections to Postgres: busy, idle, and the configured maximum',
      labels: ['state'],
    });
    const waiting = metrics.gauge({
      name: 'nds_database_waiting',
      help: 'Statements and transactions that are waiting for a connection',
    });
    metrics.onScrape([connections, waiting], () => {
      const { total, idle, max, waiting: queued } = database.poolUse();
      return () => {
        connections.set({ state: 'busy' }, total - idle);
        connections.set({ state: 'idle' }, idle);
        connections.set({ state: 'max' }, max);
        waiting.set(queued);
      };
    });
  }
}
