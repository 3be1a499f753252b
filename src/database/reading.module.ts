import { Module } from '@nestjs/common';
import { Database } from './database.js';
import { IndexedNetworks } from './indexed-networks.js';

/** What every resource needs that reads the index's tables. */
@Module({ providers: [Database, IndexedNetworks], exports: [Database, IndexedNetworks] })
export class ReadingModule {}
