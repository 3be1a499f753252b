import { Module } from '@nestjs/common';
import { IndexedNetworksModule } from '../indexes/overview/indexed-networks.module.js';
import { GenesisAllocations } from '../indexes/evm/sources/genesis-allocations.js';
import { CoverageRepository } from '../indexes/engine/coverage/coverage.repository.js';
import { ExportStorageModule } from './storage/export-storage.module.js';
import { MetricsModule } from '../platform/metrics/metrics.module.js';
import { ExpiredExports } from './storage/expired-exports.js';
import { ExpiredExportsRepository } from './storage/expired-exports.repository.js';
import { StorageSpace } from './storage/storage-space.js';
import { ExportMetrics } from './export-metrics.js';
import { ProofMaker } from './proof/proof-maker.js';
import { ServiceSecretsModule } from '../platform/secrets/service-secrets.module.js';
import { ArchiveNodes } from './search/archive-nodes.js';
import { SearchRecordsRepository } from './search/search-records.repository.js';
import { ExportPartsRepository } from './turns/export-parts.repository.js';
import { IndexedBlocksRepository } from './turns/indexed-blocks.repository.js';
import { TokenLabels } from './rows/token-labels.js';
import { TransactionExporter } from './transaction-exporter.js';

/** Providers with which the worker makes exports. */
@Module({
  imports: [IndexedNetworksModule, ExportStorageModule, MetricsModule, ServiceSecretsModule],
  providers: [
    CoverageRepository,
    GenesisAllocations,
    TransactionExporter,
    ArchiveNodes,
    ProofMaker,
    SearchRecordsRepository,
    ExportPartsRepository,
    IndexedBlocksRepository,
    TokenLabels,
    ExpiredExports,
    StorageSpace,
    ExportMetrics,
    ExpiredExportsRepository,
  ],
  exports: [TransactionExporter, ExpiredExports, ExportMetrics],
})
export class TransactionExportsModule {}
