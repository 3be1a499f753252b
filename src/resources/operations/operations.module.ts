import { Module } from '@nestjs/common';
import { ServiceSecretsModule } from '../../platform/secrets/service-secrets.module.js';
import { TypeOrmModule } from '@nestjs/typeorm';
import { StorageSpace } from '../../exports/storage/storage-space.js';
import { IndexCoverageEntity } from '../../indexes/engine/coverage/index-coverage.entity.js';
import { SubnetEntity } from '../../indexes/p-chain/entities/subnet.entities.js';
import { IndexedNetworksModule } from '../../indexes/overview/indexed-networks.module.js';
import { EvmBlockEntity } from '../../indexes/evm/entities/evm-block.entities.js';
import { PaginationModule } from '../../platform/http/pagination/pagination.module.js';
import { RefusalsModule } from '../../platform/http/errors/refusals.js';
import { MetricsModule } from '../../platform/metrics/metrics.module.js';
import { DownloadModule } from './download/download.module.js';
import { ExportClaimsRepository } from './export/export-claims.repository.js';
import { ExportQuotas } from './export/export-quotas.js';
import { ExportStarter } from './export/export-starter.js';
import { ExportWorkflowClient } from './export/export-workflow.client.js';
import { IndexedDaysRepository } from './export/indexed-days.repository.js';
import { ExportClaim, OperationEntity } from './operation.entities.js';
import { KnownOperations } from './known-operations.js';
import { OperationMetrics } from './operation-metrics.js';
import { OperationStoreModule } from './operation-store.module.js';
import { OperationsController } from './operations.controller.js';
import { OperationsService } from './operations.service.js';
import { PublicUrlNotice } from './public-url-notice.js';

@Module({
  imports: [
    TypeOrmModule.forFeature([
      OperationEntity,
      ExportClaim,
      IndexCoverageEntity,
      EvmBlockEntity,
      SubnetEntity,
    ]),
    IndexedNetworksModule,
    ServiceSecretsModule,
    PaginationModule,
    OperationStoreModule,
    DownloadModule,
    MetricsModule,
    RefusalsModule,
  ],
  controllers: [OperationsController],
  providers: [
    OperationsService,
    KnownOperations,
    ExportStarter,
    OperationMetrics,
    ExportWorkflowClient,
    IndexedDaysRepository,
    ExportClaimsRepository,
    ExportQuotas,
    StorageSpace,
    PublicUrlNotice,
  ],
  exports: [ExportClaimsRepository],
})
export class OperationsModule {}
