import { Module } from '@nestjs/common';
import { SupplyRepository } from './supply.repository.js';
import { SupplyReader } from './supply-reader.js';
import { SupplyRefresher } from './supply-refresher.js';

/** What the worker needs to work the supply out. */
@Module({ providers: [SupplyRepository, SupplyReader, SupplyRefresher], exports: [SupplyRefresher] })
export class NativeSupplyIndexModule {}
