import { INDEXING_QUEUE } from './index-chain.js';

/** Every ten minutes: hours and days of requests that are over are summed up, and what is too old is removed. */
export const ROLL_UP_API_USAGE_SCHEDULE_ID = 'roll-up-api-usage';

export const ROLL_UP_API_USAGE_QUEUE = INDEXING_QUEUE;

export interface RollUpApiUsageInput {
  /** How long single requests are kept. */
  logDays: number;
  /** How long their sums are. */
  usageDays: number;
}
