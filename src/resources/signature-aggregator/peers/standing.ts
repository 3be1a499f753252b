/** Share of the primary network's weight below which it is we who are cut off: no usual quorum can be reached. */
export const MIN_CONNECTED_SHARE = 0.67;
/** Of a process that had more: while it keeps most of the weight, it is the others who are away, and its callers get that error at once. */
const KEPT_SHARE = 0.5;
/** Peers that are back so soon were not lost: to stop and start the worker would cost more. */
const LOSS_GRACE_MS = 5_000;
/**
 * Nobody else may be better off, and other networks of the process wait: it serves with what it has afterwards. Three processes
 * behind one address are connected by then.
 */
const MAX_ISOLATION_MS = 60_000;

/** `isolated`: leave the work to others; `degraded`: it has been isolated for so long that it works nevertheless. */
export type Standing = 'connected' | 'isolated' | 'degraded';

/** Abilities of a process on one network. Time is given by the caller, in milliseconds that only grow. */
export class StandingOnNetwork {
  private poorSinceMs: number | undefined;

  constructor(public current: Standing = 'isolated') {}

  /** Whether too little of the weight is connected now. */
  get isPoor(): boolean {
    return this.poorSinceMs !== undefined;
  }

  /** `share`: of the primary network's weight that is connected, 0 to 1. */
  update(share: number, nowMs: number): Standing {
    if (share >= (this.current === 'connected' ? KEPT_SHARE : MIN_CONNECTED_SHARE)) {
      this.poorSinceMs = undefined;
      this.current = 'connected';
      return this.current;
    }
    this.poorSinceMs ??= nowMs;
    const poorMs = nowMs - this.poorSinceMs;
    if (poorMs >= MAX_ISOLATION_MS) this.current = 'degraded';
    else if (this.current === 'connected' && poorMs >= LOSS_GRACE_MS) this.current = 'isolated';
    return this.current;
  }
}
