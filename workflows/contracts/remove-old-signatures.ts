/** Daily: signatures are a cache of what the network can answer again, and must not grow forever. */
export const REMOVE_OLD_SIGNATURES_SCHEDULE_ID = 'remove-old-signatures';

export interface RemoveOldSignaturesInput {
  olderThanDays: number;
}
