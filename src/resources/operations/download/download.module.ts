import { Module } from '@nestjs/common';
import { RateLimitsModule } from '../../../access/limits/rate-limits.module.js';
import { IndexedNetworksModule } from '../../../indexes/overview/indexed-networks.module.js';
import { ServiceSecretsModule } from '../../../platform/secrets/service-secrets.module.js';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ExportProofEntity } from '../../../exports/proof/export-proof.entity.js';
import { ExportPartEntity } from '../../../exports/turns/export-part.entity.js';
import { ExportStorageModule } from '../../../exports/storage/export-storage.module.js';
import { OperationEntity } from '../operation.entities.js';
import { DownloadController } from './download.controller.js';
import { DownloadLinks } from './download-links.js';
import { DownloadService } from './download.service.js';
import { ExportedFileRepository } from './exported-file.repository.js';

/** The files of exports over HTTP, and the links to them. */
@Module({
  imports: [
    TypeOrmModule.forFeature([OperationEntity, ExportPartEntity, ExportProofEntity]),
    IndexedNetworksModule,
    ServiceSecretsModule,
    ExportStorageModule,
    RateLimitsModule,
  ],
  controllers: [DownloadController],
  providers: [DownloadLinks, DownloadService, ExportedFileRepository],
  exports: [DownloadLinks],
})
export class DownloadModule {}
