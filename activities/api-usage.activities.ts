import { Injectable } from '@nestjs/common';
import { UsageRollUp } from '../src/access/usage/usage-roll-up.js';
import type { ApiUsageActivities as Contract } from '../workflows/contracts/activities.js';
import type { RollUpApiUsageInput } from '../workflows/contracts/scheduled.js';
import { withHeartbeat } from './with-heartbeat.js';

@Injectable()
export class ApiUsageActivities implements Contract {
  constructor(private readonly rollUp: UsageRollUp) {}

  async rollUpApiUsage(input: RollUpApiUsageInput): Promise<void> {
    await withHeartbeat((signal) => this.rollUp.run({ ...input, signal }));
  }
}
