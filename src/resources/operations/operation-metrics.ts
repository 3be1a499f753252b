import { Injectable } from '@nestjs/common';
import { StorageSpace } from '../../exports/storage/storage-space.js';
import { Metrics } from '../../platform/metrics/metrics.js';
import { OperationRepository } from './operation.repository.js';

/** Exports as the API sees them; each API process reports the same. */
@Injectable()
export class OperationMetrics {
  constructor(metrics: Metrics, operations: OperationRepository, space: StorageSpace) {
    const running = metrics.gauge({
      name: 'nds_exports_running',
      help: 'Running exports by type',
      labels: ['type'],
    });
    metrics.onScrape([running], async () => {
      const counts = await operations.countRunning();
      return () => counts.forEach(({ type, count }) => running.set({ type }, count));
    });
    const used = metrics.gauge({
      name: 'nds_export_storage_used_ratio',
      help: 'Used share of the disk that holds exports (disk), and of the bytes that they may take (limit)',
      labels: ['of'],
    });
    metrics.onScrape([used], async () => {
      const { disk, limit } = await space.use();
      return () => {
        if (disk !== undefined) used.set({ of: 'disk' }, disk);
        if (limit !== undefined) used.set({ of: 'limit' }, limit);
      };
    });
  }
}
