import { Injectable, Module } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { Networks } from '../../platform/networks/networks.module.js';
import { IndexedPChain } from './indexed-p-chain.js';

/** Has the networks know their P-chain by its index. */
@Injectable()
class IndexedPChains {
  constructor(networks: Networks, database: Database) {
    for (const { name, pChain } of networks.all()) pChain.useIndex(new IndexedPChain(name, database));
  }
}

/** For every process that signs: its networks' validator sets come from the rows then. */
@Module({ providers: [IndexedPChains] })
export class IndexedPChainModule {}
