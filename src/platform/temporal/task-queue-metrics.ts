import { Injectable } from '@nestjs/common';
import { Metrics } from '../metrics/metrics.js';
import { TaskQueueWatch } from './task-queue-watch.js';

/** Task queues as Temporal reports them, including unserved ones. Each API process reports the same. */
@Injectable()
export class TaskQueueMetrics {
  constructor(metrics: Metrics, queues: TaskQueueWatch) {
    const workers = metrics.gauge({
      name: 'nds_task_queue_workers',
      help: 'Processes that serve a task queue',
      labels: ['queue'],
    });
    const backlog = metrics.gauge({
      name: 'nds_task_queue_backlog',
      help: 'Tasks in a task queue that are waiting for a worker',
      labels: ['queue'],
    });
    metrics.onScrape([workers, backlog], async () => {
      const reports = await queues.read();
      return () => {
        for (const report of reports) {
          workers.set({ queue: report.queue }, report.workers);
          backlog.set({ queue: report.queue }, report.backlog);
        }
      };
    });
  }
}
