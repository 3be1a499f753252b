import { Module } from '@nestjs/common';
import { IndexProgressModule } from '../engine/progress/index-progress.module.js';
import { ValidatorsSourceModule } from '../p-chain/validators-source.module.js';
import { XChainAuditRepository } from './audit/x-chain-audit.repository.js';
import { XChainAuditor } from './audit/x-chain-auditor.js';
import { VertexRepository } from './history/vertex.repository.js';
import { XChainIndexers } from './x-chain-indexers.js';
import { XChainWriter } from './x-chain-writer.js';

/** Providers of the worker for the index of X-chains. */
@Module({
  imports: [IndexProgressModule, ValidatorsSourceModule],
  providers: [VertexRepository, XChainWriter, XChainIndexers, XChainAuditRepository, XChainAuditor],
  exports: [XChainWriter, XChainIndexers, XChainAuditor, IndexProgressModule],
})
export class XChainIndexModule {}
