import { toHex } from '../ids/hex.js';
import { PenaltyBox, type PenaltyLimits, DEFAULT_PENALTY_LIMITS } from '../p2p/network/penalty-box.js';

/**
 * Nodes that signed wrongly, each with the key that it should have signed with. A node may have another key than the one that it is
 * registered with on one L1, and sign rightly for all others: it is not asked under that key for a while, and stays connected.
 */
export class DistrustedSigners {
  private readonly box: PenaltyBox;

  constructor(limits: Partial<PenaltyLimits> = {}) {
    this.box = new PenaltyBox({ ...DEFAULT_PENALTY_LIMITS, ...limits });
  }

  /** `publicKey`: 48 compressed bytes. */
  add(nodeId: string, publicKey: Uint8Array): void {
    this.box.add(idOf(nodeId, publicKey), 'wrong signature', performance.now());
  }

  get count(): number {
    return this.box.count(performance.now());
  }

  has(nodeId: string, publicKey: Uint8Array): boolean {
    return this.box.reason(idOf(nodeId, publicKey), performance.now()) !== undefined;
  }
}

function idOf(nodeId: string, publicKey: Uint8Array): string {
  return `${nodeId} ${toHex(publicKey)}`;
}
