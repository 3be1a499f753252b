import { Module } from '@nestjs/common';
import { IndexProgressModule } from '../indexing/index-progress.module.js';
import { XChainIndexers } from './x-chain-indexers.js';
import { XChainWriter } from './x-chain-writer.js';

/** What the worker needs of the index of X-chains. */
@Module({
  imports: [IndexProgressModule],
  providers: [XChainWriter, XChainIndexers],
  exports: [XChainWriter, XChainIndexers, IndexProgressModule],
})
export class XChainIndexModule {}
