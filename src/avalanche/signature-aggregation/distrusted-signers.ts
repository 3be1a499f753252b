import { toHex } from '../ids/hex.js';
import { Bench, type BenchLimits, DEFAULT_BENCH_LIMITS } from '../p2p/bench.js';

/**
 * Nodes that signed wrongly, each with the key that it should have signed with. A node may have another key than the one that it is
 * registered with on one L1, and sign rightly for all others: it is not asked under that key for a while, and stays connected.
 */
export class DistrustedSigners {
  private readonly bench: Bench;

  constructor(limits: Partial<BenchLimits> = {}) {
    this.bench = new Bench({ ...DEFAULT_BENCH_LIMITS, ...limits });
  }

  /** `publicKey`: 48 compressed bytes. */
  add(nodeId: string, publicKey: Uint8Array): void {
    this.bench.add(idOf(nodeId, publicKey), 'wrong signature', performance.now());
  }

  get count(): number {
    return this.bench.count(performance.now());
  }

  has(nodeId: string, publicKey: Uint8Array): boolean {
    return this.bench.reason(idOf(nodeId, publicKey), performance.now()) !== undefined;
  }
}

function idOf(nodeId: string, publicKey: Uint8Array): string {
  return `${nodeId} ${toHex(publicKey)}`;
}
