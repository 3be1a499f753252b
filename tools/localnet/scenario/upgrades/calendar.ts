import type { Id } from '../../../../src/avalanche/platformvm/ids.js';
import { midnight } from '../history.js';

export const DAY = 86_400;

/** Whole days of the year in which everything happens. */
export const on = (monthAndDay: string): number => midnight(`2021-${monthAndDay}`);

export interface Subnets {
  readonly permissioned: Id;
  readonly elastic: Id;
  readonly lateElastic: Id;
  readonly trios: Id;
}
