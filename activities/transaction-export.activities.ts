import { Injectable } from '@nestjs/common';
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
  async exportTransactions(_input: ExportTurnInput): Promise<ExportProgress> {
    return Promise.reject(new Error('not built yet'));
  }

  async recordOperation(_input: RecordOperationInput): Promise<void> {
    return Promise.reject(new Error('not built yet'));
  }

  async removeExport(_input: RemoveExportInput): Promise<void> {
    return Promise.reject(new Error('not built yet'));
  }

  async removeExpiredExports(_input: RemoveExpiredExportsInput): Promise<void> {
    return Promise.reject(new Error('not built yet'));
  }
}
