/** How a stake goes on, in the words that validators, cycles and rewards share, and for the document. */
const STAKING_TYPES = ['fixed', 'autoRenewed'] as const;
export type StakingType = (typeof STAKING_TYPES)[number];

export const STAKING_TYPE = {
  enum: STAKING_TYPES,
  description: 'autoRenewed: goes on cycle after cycle; fixed: has one start and one end.',
  example: 'fixed',
} as const;

const STATES = ['renewing', 'exiting', 'exited', 'aborted'] as const;
export type AutoRenewState = (typeof STATES)[number];

export const AUTO_RENEW_STATE = {
  enum: STATES,
  description:
    'renewing: another cycle follows; exiting: this cycle is the last; exited: ended as configured; aborted: ended because the condition of the reward was missed.',
  example: 'renewing',
} as const;

export function autoRenewStateOf({
  isRunning,
  nextPeriod,
  isAborted,
}: {
  readonly isRunning: boolean;
  readonly nextPeriod: number;
  readonly isAborted: boolean;
}): AutoRenewState {
  if (isRunning) return nextPeriod > 0 ? 'renewing' : 'exiting';
  return isAborted ? 'aborted' : 'exited';
}
