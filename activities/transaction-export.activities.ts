import { Injectable } from '@nestjs/common';
import { heartbeat } from '@temporalio/activity';
import { OperationRepository } from '../src/resources/operations/operation.repository.js';
import { ExportMetrics } from '../src/exports/export-metrics.js';
import { ExpiredExports } from '../src/exports/storage/expired-exports.js';
import { TransactionExporter } from '../src/exports/transaction-exporter.js';
import type { TransactionExportActivities as Contract } from '../workflows/contracts/activities.js';
import type {
  ExportProgress,
  ExportTurnInput,
  KeepWholeDaysInput,
  RecordOperationInput,
  RemoveExpiredExportsInput,
  RemoveExportInput,
} from '../workflows/contracts/export-transactions.js';
import { asApplicationFailure } from './application-failure.js';
import { withHeartbeat } from './with-heartbeat.js';

@Injectable()
export class TransactionExportActivities implements Contract {
  constructor(
    private readonly operations: OperationRepository,
    private readonly exporter: TransactionExporter,
    private readonly expired: ExpiredExports,
    private readonly metrics: ExportMetrics,
  ) {}

  @asApplicationFailure(({ code }) => code === 'STATE_UNAVAILABLE')
  async exportTransactions(input: ExportTurnInput): Promise<ExportProgress> {
    return withHeartbeat((signal) =>
      this.exporter.exportTurn(input, {
        signal,
        onProgress: ({ rows, day, chainId }) => heartbeat({ rows, day, chainId }),
      }),
    );
  }

  @asApplicationFailure()
  async keepWholeDays(input: KeepWholeDaysInput): Promise<ExportProgress | null> {
    return this.exporter.keepWholeDays(input);
  }

  async recordOperation(input: RecordOperationInput): Promise<void> {
    await this.operations.save(input);
    const { status } = input.state;
    if (status !== 'RUNNING') this.metrics.countEnd(status);
  }

  @asApplicationFailure()
  async removeExport({ operationId }: RemoveExportInput): Promise<void> {
    await this.expired.remove(operationId);
  }

  @asApplicationFailure()
  async removeExpiredExports(input: RemoveExpiredExportsInput): Promise<void> {
    await withHeartbeat((signal) => this.expired.removeAll({ ...input, signal }));
  }
}
