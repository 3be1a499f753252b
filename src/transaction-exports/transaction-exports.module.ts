import { Module } from '@nestjs/common';
import { IndexedNetworksModule } from '../database/indexed-networks.module.js';
import { GenesisAllocations } from '../evm-index/genesis-allocations.js';
import { CoverageRepository } from '../indexing/coverage.repository.js';
import { ExportStorageModule } from '../export-storage/export-storage.module.js';
import { MetricsModule } from '../metrics/metrics.module.js';
import { ExpiredExports } from './expired-exports.js';
import { ExpiredExportsRepository } from './expired-exports.repository.js';
import { ExportMetrics } from './export-metrics.js';
import { ExportPartsRepository } from './export-parts.repository.js';
import { IndexedBlocksRepository } from './indexed-blocks.repository.js';
import { TokenLabels } from './token-labels.js';
import { TransactionExporter } from './transaction-exporter.js';

/** What the worker needs to make exports. */
@Module({
  imports: [IndexedNetworksModule, ExportStorageModule, MetricsModule],
  providers: [
    CoverageRepository,
    GenesisAllocations,
    TransactionExporter,
    ExportPartsRepository,
    IndexedBlocksRepository,
    TokenLabels,
    ExpiredExports,
    ExportMetrics,
    ExpiredExportsRepository,
  ],
  exports: [TransactionExporter, ExpiredExports, ExportMetrics],
})
export class TransactionExportsModule {}
