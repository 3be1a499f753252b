import { Module } from '@nestjs/common';
import { IndexedNetworks } from './indexed-networks.js';

/** The indexed networks, for every resource that reads the tables of indexes. */
@Module({ providers: [IndexedNetworks], exports: [IndexedNetworks] })
export class IndexedNetworksModule {}
