/** What the holders of a plan may spend and hold. */
export interface Plan {
  readonly plan: string;
  /** Cost units. */
  readonly unitsPerMinute: number;
  readonly unitsPerDay: number;
  /** At a time. */
  readonly runningExports: number;
  /** With the running ones. */
  readonly storedExports: number;
  readonly storedBytes: number;
  /** Read from nodes, by the exports that were asked for on a day (UTC). */
  readonly scannedBlocksPerDay: number;
  /** At a time, in each process. */
  readonly waitingAggregations: number;
}

/** The organisation of all callers without a key. */
export const PUBLIC_ORG = 'public';
/** Its plan. */
export const PUBLIC_PLAN = 'public';

/** Who has sent a request. */
export interface Caller {
  readonly orgId: string;
  /** Undefined without a key. */
  readonly apiKeyId: string | undefined;
  /** The unit that limits are counted by: the key or, for callers without one, the address. */
  readonly subject: string;
  /** To whom belongs what is made on request: the organisation, or the address. */
  readonly owner: string;
  readonly plan: Plan;
}
