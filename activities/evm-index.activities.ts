import { Injectable } from '@nestjs/common';
import type { EvmIndexActivities as Contract } from '../workflows/contracts/activities.js';
import type {
  AdvanceEvmChainInput,
  EvmChainInput,
  RecordEvmIndexStateInput,
} from '../workflows/contracts/index-evm-chain.js';
import type { IndexProgress } from '../workflows/contracts/index-p-chain.js';

@Injectable()
export class EvmIndexActivities implements Contract {
  async advanceEvmChain(_input: AdvanceEvmChainInput): Promise<IndexProgress> {
    return Promise.reject(new Error('not built yet'));
  }

  async recordEvmIndexState(_input: RecordEvmIndexStateInput): Promise<void> {
    return Promise.reject(new Error('not built yet'));
  }

  async resetEvmChain(_input: EvmChainInput): Promise<void> {
    return Promise.reject(new Error('not built yet'));
  }
}
