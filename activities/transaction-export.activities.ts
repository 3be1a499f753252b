import { Injectable } from '@nestjs/common';
import { OperationRepository } from '../src/operations/operation.repository.js';
import type { TransactionExportActivities as Contract } from '../workflows/contracts/activities.js';
import type {
  ExportProgress,
  ExportTurnInput,
  RecordOperationInput,
  RemoveExpiredExportsInput,
  RemoveExportInput,
} from '../workflows/contracts/export-transactions.js';

@Injectable()
export class TransactionExportActivities implements Contract {
  constructor(private readonly operations: OperationRepository) {}

  async exportTransactions(_input: ExportTurnInput): Promise<ExportProgress> {
    return Promise.reject(new Error('not built yet'));
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
