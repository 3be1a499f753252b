import { Injectable } from '@nestjs/common';
import type { PChainWatchActivities as Contract } from '../workflows/contracts/activities.js';
import type {
  AuditPChainResult,
  PollValidatorsResult,
  WatchPChainInput,
} from '../workflows/contracts/watch-p-chain.js';

@Injectable()
export class PChainWatchActivities implements Contract {
  async pollValidators(_input: WatchPChainInput): Promise<PollValidatorsResult> {
    return { nodesAsked: 0, validators: 0 };
  }

  async auditPChain(_input: WatchPChainInput): Promise<AuditPChainResult> {
    return { height: '0', comparisons: 0, skipped: [], differences: [] };
  }
}
