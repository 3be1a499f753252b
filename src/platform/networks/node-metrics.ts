import { Injectable } from '@nestjs/common';
import type { NodeCallListener } from '../../avalanche/rpc/node-call.js';
import { Metrics } from '../metrics/metrics.js';
import { NodeLimiters } from './node-limiters.js';

/** Requests to the configured nodes. Hosts and methods are the configuration's and ours, so there are few. */
@Injectable()
export class NodeMetrics {
  /** For clients of nodes. */
  readonly listener: NodeCallListener;

  constructor(metrics: Metrics, limiters: NodeLimiters) {
    const requests = metrics.counter({
      name: 'nds_node_requests_total',
      help: 'Requests to nodes by outcome; the method of a batch is that of its first call',
      labels: ['host', 'method', 'outcome'],
    });
    const durations = metrics.durations({
      name: 'nds_node_request_duration_seconds',
      help: 'Time of requests to nodes, batches included',
      labels: ['host'],
    });
    this.listener = ({ host, method, outcome, durationMs }) => {
      requests.inc({ host, method, outcome: outcome.toLowerCase() });
      durations.observe({ host }, durationMs / 1_000);
    };
    this.readLimiters(metrics, limiters);
  }

  private readLimiters(metrics: Metrics, limiters: NodeLimiters): void {
    const labels = ['host'] as const;
    const waited = metrics.counter({
      name: 'nds_node_throttled_seconds_total',
      help: 'Time that requests of indexes and exports have waited for a host to be free',
      labels,
    });
    const complaints = metrics.counter({
      name: 'nds_node_complaints_total',
      help: 'Times that a host reported too many requests',
      labels,
    });
    const waiting = metrics.gauge({
      name: 'nds_node_requests_waiting',
      help: 'Requests of indexes and exports that are waiting for a host to be free',
      labels,
    });
    const concurrency = metrics.gauge({
      name: 'nds_node_concurrency_limit',
      help: 'Concurrent requests that a host has been found to handle',
      labels,
    });
    metrics.onScrape([waited, complaints, waiting, concurrency], () => () => {
      for (const [host, limiter] of limiters.all()) {
        waited.inc({ host }, limiter.waitedMs / 1_000);
        complaints.inc({ host }, limiter.complaints);
        waiting.set({ host }, limiter.queueLength);
        concurrency.set({ host }, limiter.concurrency);
      }
    });
  }
}
