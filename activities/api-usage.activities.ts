import { Injectable } from '@nestjs/common';
import { cancellationSignal } from '@temporalio/activity';
import { UsageRollUp } from '../src/access/usage/usage-roll-up.js';
import type { ApiUsageActivities as Contract } from '../workflows/contracts/activities.js';
import type { RollUpApiUsageInput } from '../workflows/contracts/scheduled.js';
import { startHeartbeat } from './start-heartbeat.js';

@Injectable()
export class ApiUsageActivities implements Contract {
  constructor(private readonly rollUp: UsageRollUp) {}

  async rollUpApiUsage(input: RollUpApiUsageInput): Promise<void> {
    const stopHeartbeat = startHeartbeat();
    try {
      await this.rollUp.run({ ...input, signal: cancellationSignal() });
    } finally {
      stopHeartbeat();
    }
  }
}
