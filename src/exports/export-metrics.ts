import { Injectable } from '@nestjs/common';
import type { OperationStatus } from '../../workflows/contracts/export-transactions.js';
import { Metrics } from '../platform/metrics/metrics.js';

/** Rows and bytes that this process has exported, and ended exports. */
@Injectable()
export class ExportMetrics {
  private readonly rows;
  private readonly bytes;
  private readonly ends;

  constructor(metrics: Metrics) {
    this.rows = metrics.counter({
      name: 'nds_export_rows_total',
      help: 'Rows of recorded parts of exported files',
    });
    this.bytes = metrics.counter({
      name: 'nds_export_bytes_total',
      help: 'Bytes of recorded parts of exported files: file as downloaded, stored as kept in the storage',
      labels: ['kind'],
    });
    this.ends = metrics.counter({
      name: 'nds_exports_finished_total',
      help: 'Ended exports by status',
      labels: ['status'],
    });
    // A counter that begins with its first failure would hide it: its increase would not be visible.
    for (const status of ['completed', 'completed_with_warning', 'failed']) this.ends.inc({ status }, 0);
  }

  countPart(part: { rows: number; bytes: number; storedBytes: number }): void {
    this.rows.inc(part.rows);
    this.bytes.inc({ kind: 'file' }, part.bytes);
    this.bytes.inc({ kind: 'stored' }, part.storedBytes);
  }

  countEnd(status: Exclude<OperationStatus, 'RUNNING'>): void {
    this.ends.inc({ status: status.toLowerCase() });
  }
}
