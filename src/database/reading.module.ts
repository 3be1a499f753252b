import { Module } from '@nestjs/common';
import { IndexedNetworks } from './indexed-networks.js';

/** What every resource needs that reads the index's tables. */
@Module({ providers: [IndexedNetworks], exports: [IndexedNetworks] })
export class ReadingModule {}
