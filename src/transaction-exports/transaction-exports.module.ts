import { Module } from '@nestjs/common';
import { ExportStorageModule } from '../export-storage/export-storage.module.js';

/** What the worker needs to make exports. */
@Module({ imports: [ExportStorageModule] })
export class TransactionExportsModule {}
