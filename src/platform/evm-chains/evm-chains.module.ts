import { Global, Module } from '@nestjs/common';
import { EvmChains } from './evm-chains.js';

@Global()
@Module({ providers: [EvmChains], exports: [EvmChains] })
export class EvmChainsModule {}
