import { Injectable } from '@nestjs/common';
import { SpendingRepository } from '../limits/spending.repository.js';
import { SPANS, UsageRollUpRepository } from './usage-roll-up.repository.js';

/** The activity of the schedule. */
@Injectable()
export class UsageRollUp {
  constructor(
    private readonly repository: UsageRollUpRepository,
    private readonly spending: SpendingRepository,
  ) {}

  async run({ signal, ...ages }: { logDays: number; usageDays: number; signal: AbortSignal }): Promise<void> {
    for (const span of SPANS) {
      while (!signal.aborted && (await this.repository.rollUpNext(span)));
    }
    if (signal.aborted) return;
    await this.repository.removeOld(ages);
    await this.spending.removeOld();
  }
}
