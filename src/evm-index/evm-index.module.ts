import { Module } from '@nestjs/common';

/** What the worker needs of the index of EVM chains. */
@Module({})
export class EvmIndexModule {}
