import { Injectable } from '@nestjs/common';
import { cancellationSignal, heartbeat } from '@temporalio/activity';
import { OperationRepository } from '../src/operations/operation.repository.js';
import { TransactionExporter } from '../src/transaction-exports/transaction-exporter.js';
import type { TransactionExportActivities as Contract } from '../workflows/contracts/activities.js';
import type {
  ExportProgress,
  ExportTurnInput,
  RecordOperationInput,
  RemoveExpiredExportsInput,
  RemoveExportInput,
} from '../workflows/contracts/export-transactions.js';
import { asApplicationFailure } from './application-failure.js';
import { startHeartbeat } from './start-heartbeat.js';

@Injectable()
export class TransactionExportActivities implements Contract {
  constructor(
    private readonly operations: OperationRepository,
    private readonly exporter: TransactionExporter,
  ) {}

  @asApplicationFailure
  async exportTransactions(input: ExportTurnInput): Promise<ExportProgress> {
    const stopHeartbeat = startHeartbeat();
    try {
      return await this.exporter.exportTurn(input, {
        signal: cancellationSignal(),
        onProgress: ({ rows, day, chainId }) => heartbeat({ rows, day, chainId }),
      });
    } finally {
      stopHeartbeat();
    }
  }

  async recordOperation(input: RecordOperationInput): Promise<void> {
    await this.operations.save(input);
  }

  async removeExport(_input: RemoveExportInput): Promise<void> {
    return Promise.reject(new Error('not built yet'));
  }

  async removeExpiredExports(_input: RemoveExpiredExportsInput): Promise<void> {
    return Promise.reject(new Error('not built yet'));
  }
}
