import { toHex } from '../ids/hex.js';
import { PenaltyBox, type PenaltyLimits, DEFAULT_PENALTY_LIMITS } from '../p2p/network/penalty-box.js';

/**
 * Nodes that signed wrongly, each with the key that it should have signed with, and nodes that sent what is no signature, each
 * with the blockchain that it was asked about. A node may have another key than the registered one on one L1, or an L1's virtual
 * machine that answers nonsense, and sign rightly for all others: it stays connected.
 */
export class DistrustedSigners {
  private readonly box: PenaltyBox;

  constructor(limits: Partial<PenaltyLimits> = {}) {
    this.box = new PenaltyBox({ ...DEFAULT_PENALTY_LIMITS, ...limits });
  }

  /** `about`: a public key of 48 compressed bytes, or a blockchain id of 32. */
  add(nodeId: string, about: Uint8Array): void {
    this.box.add(idOf(nodeId, about), '', performance.now());
  }

  get count(): number {
    return this.box.count(performance.now());
  }

  has(nodeId: string, about: Uint8Array): boolean {
    return this.box.reason(idOf(nodeId, about), performance.now()) !== undefined;
  }
}

function idOf(nodeId: string, about: Uint8Array): string {
  return `${nodeId} ${toHex(about)}`;
}
