/** A node is not asked again for so long after an answer that no honest one gives. */
const DISTRUST_MS = 3_600_000;
/** And for so long after it had nothing, or was silent: longer than a question takes that several such nodes are asked. */
const PAUSE_MS = 15_000;
/** Bandwidths of nodes that are asked often count by their latest answers. */
const WEIGHT_OF_LATEST = 0.3;
/** Nodes that were never asked come first until so many have answered. */
const WANTED_KNOWN = 20;
/** How often a node is taken at random instead of the quickest: it may have become quick. */
const EXPLORING_SHARE = 0.2;

const MIN_TIMEOUT_MS = 2_000;
const MAX_TIMEOUT_MS = 10_000;
const FIRST_TIMEOUT_MS = 5_000;

interface ServerRecord {
  bytesPerSecond: number;
  latencyMs: number;
  avoidUntilMs: number;
  distrustedUntilMs: number;
  answers: number;
}

/**
 * How well each node has served, and so whom to ask next (after avalanchego v1.15.0 network/p2p/peer_tracker.go).
 * Times are those of `performance.now()`.
 */
export class ServerRecords {
  private readonly records = new Map<string, ServerRecord>();

  constructor(private readonly random: () => number = Math.random) {}

  /** Any of the candidates; undefined when there is none that may be asked now. */
  chooseAny(candidates: readonly string[], nowMs: number): string | undefined {
    return this.anyOf(this.fit(candidates, nowMs));
  }

  /** The quickest of them, as a rule. */
  choose(candidates: readonly string[], nowMs: number): string | undefined {
    const fit = this.fit(candidates, nowMs);
    const untried = fit.filter((nodeId) => !this.records.has(nodeId));
    if (untried.length > 0 && this.countAnswering() < WANTED_KNOWN) return this.anyOf(untried);
    if (this.random() < EXPLORING_SHARE) return this.anyOf(fit);
    return fit.reduce<string | undefined>(
      (best, nodeId) => (best === undefined || this.speedOf(nodeId) > this.speedOf(best) ? nodeId : best),
      undefined,
    );
  }

  /** Twice what answers take on average, as nodes wait. */
  timeoutMs(nodeId: string): number {
    const latencyMs = this.records.get(nodeId)?.latencyMs ?? FIRST_TIMEOUT_MS / 2;
    return Math.min(MAX_TIMEOUT_MS, Math.max(MIN_TIMEOUT_MS, 2 * latencyMs));
  }

  onServed(nodeId: string, bytes: number, tookMs: number): void {
    const record = this.recordOf(nodeId);
    const bytesPerSecond = (bytes * 1_000) / Math.max(1, tookMs);
    const weight = record.answers === 0 ? 1 : WEIGHT_OF_LATEST;
    record.bytesPerSecond += weight * (bytesPerSecond - record.bytesPerSecond);
    record.latencyMs += weight * (tookMs - record.latencyMs);
    record.answers += 1;
  }

  /** It had nothing, or did not answer. */
  onUseless(nodeId: string, nowMs: number): void {
    const record = this.recordOf(nodeId);
    record.bytesPerSecond = 0;
    record.avoidUntilMs = Math.max(record.avoidUntilMs, nowMs + PAUSE_MS);
  }

  onMisconduct(nodeId: string, nowMs: number): void {
    this.onUseless(nodeId, nowMs + DISTRUST_MS - PAUSE_MS);
    this.recordOf(nodeId).distrustedUntilMs = nowMs + DISTRUST_MS;
  }

  /** Those that have served, and may be asked again. */
  countServing(nowMs: number): number {
    return [...this.records.values()].filter(
      ({ answers, avoidUntilMs }) => answers > 0 && avoidUntilMs <= nowMs,
    ).length;
  }

  /** Those that gave an answer which no honest node gives. */
  countDistrusted(nowMs: number): number {
    return [...this.records.values()].filter(({ distrustedUntilMs }) => distrustedUntilMs > nowMs).length;
  }

  private fit(candidates: readonly string[], nowMs: number): string[] {
    return candidates.filter((nodeId) => (this.records.get(nodeId)?.avoidUntilMs ?? 0) <= nowMs);
  }

  private recordOf(nodeId: string): ServerRecord {
    let record = this.records.get(nodeId);
    if (record === undefined) {
      record = { bytesPerSecond: 0, latencyMs: 0, avoidUntilMs: 0, distrustedUntilMs: 0, answers: 0 };
      this.records.set(nodeId, record);
    }
    return record;
  }

  private speedOf(nodeId: string): number {
    return this.records.get(nodeId)?.bytesPerSecond ?? 0;
  }

  private countAnswering(): number {
    return [...this.records.values()].filter(({ answers }) => answers > 0).length;
  }

  private anyOf(nodeIds: readonly string[]): string | undefined {
    return nodeIds[Math.floor(this.random() * nodeIds.length)];
  }
}
