import { Module } from '@nestjs/common';
import { SupplyRepository } from './supply.repository.js';
import { SupplyReader } from './supply-reader.js';
import { SupplyAuditor } from './supply-auditor.js';
import { SupplyRefresher } from './supply-refresher.js';

/** What the worker needs to work the supply out. */
@Module({
  providers: [SupplyRepository, SupplyReader, SupplyRefresher, SupplyAuditor],
  exports: [SupplyRefresher, SupplyAuditor],
})
export class NativeSupplyIndexModule {}
