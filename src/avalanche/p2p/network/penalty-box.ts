import { BoundedMap } from '../../bounded-map.js';

/** How long misbehaving nodes are left alone. */
export interface PenaltyLimits {
  /** For the first offence; doubled with each further one. */
  benchMs: number;
  maxBenchMs: number;
  /** Offences are forgotten so long after the bench ended. */
  forgiveAfterMs: number;
  /** Nodes remembered; beyond them the longest known is forgotten. */
  maxBenchedNodes: number;
}

export const DEFAULT_PENALTY_LIMITS: PenaltyLimits = {
  benchMs: 60_000,
  maxBenchMs: 60 * 60_000,
  forgiveAfterMs: 60 * 60_000,
  maxBenchedNodes: 20_000,
};

interface Entry {
  untilMs: number;
  offences: number;
  reason: string;
}

/** Remembers who misbehaved. Time is given by the caller, in milliseconds that only grow. */
export class PenaltyBox {
  private readonly entries: BoundedMap<string, Entry>;

  constructor(private readonly limits: PenaltyLimits) {
    this.entries = new BoundedMap(limits.maxBenchedNodes);
  }

  /** Returns until when the node is benched. What happens while it is benched already does not add up. */
  add(nodeId: string, reason: string, nowMs: number): number {
    const known = this.entries.get(nodeId);
    if (known !== undefined && known.untilMs > nowMs) {
      return known.untilMs;
    }
    const isForgiven = known === undefined || known.untilMs + this.limits.forgiveAfterMs < nowMs;
    const offences = isForgiven ? 1 : known.offences + 1;
    const untilMs = nowMs + Math.min(this.limits.maxBenchMs, this.limits.benchMs * 2 ** (offences - 1));
    this.entries.set(nodeId, { untilMs, offences, reason });
    return untilMs;
  }

  /** How many are benched. */
  count(nowMs: number): number {
    return [...this.entries.values()].filter(({ untilMs }) => untilMs > nowMs).length;
  }

  /** Why the node is benched; undefined when it is not. */
  reason(nodeId: string, nowMs: number): string | undefined {
    const entry = this.entries.get(nodeId);
    return entry !== undefined && entry.untilMs > nowMs ? entry.reason : undefined;
  }
}
