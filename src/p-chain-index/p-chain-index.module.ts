import { Module } from '@nestjs/common';
import { AuditRepository } from './audit/audit.repository.js';
import { PChainAuditor } from './audit/p-chain-auditor.js';
import { IndexProgressModule } from '../indexing/index-progress.module.js';
import { PChainIndexers } from './p-chain-indexers.js';
import { PChainStateRepository } from './p-chain-state.repository.js';
import { PChainWriter } from './p-chain-writer.js';
import { ValidatorPoller } from './validator-poller.js';

/** What the worker needs of the index. */
@Module({
  imports: [IndexProgressModule],
  providers: [
    PChainStateRepository,
    PChainWriter,
    PChainIndexers,
    ValidatorPoller,
    AuditRepository,
    PChainAuditor,
  ],
  exports: [PChainWriter, PChainIndexers, ValidatorPoller, PChainAuditor, IndexProgressModule],
})
export class PChainIndexModule {}
