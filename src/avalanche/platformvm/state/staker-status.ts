import type { Id } from '../ids.js';

/**
 * Where a staker is in its life, as lists show it. It is `pending` until the start that its transaction names, `active` from then on, and
 * `completed` once its time is over, or `removed` if the subnet's owner ended it before. An Add* transaction that was aborted never made
 * a staker. Only the functions below change a status.
 */
export type StakerStatus = 'pending' | 'active' | 'completed' | 'removed';

/** The transaction that decided about the reward, or that removed the validator, and the chain time at which the staker left. */
interface End {
  readonly endTxId?: Id;
  readonly endedAt: number;
}

export function statusOfNew({ startsAtOnce }: { startsAtOnce: boolean }): StakerStatus {
  return startsAtOnce ? 'active' : 'pending';
}

export function started<T>(staker: T) {
  return { ...staker, status: 'active' } as const;
}

export function completed<T>(staker: T, end: End) {
  return { ...staker, ...end, status: 'completed' } as const;
}

export function removed<T>(staker: T, end: End) {
  return { ...staker, ...end, status: 'removed' } as const;
}

export function isOver({ status }: { readonly status: StakerStatus }): boolean {
  return status === 'completed' || status === 'removed';
}
