import type { BlsSignature } from '../bls/bls.js';
import type { CanonicalValidator } from '../warp/canonical-validator-set.js';
import type { AggregationFacts, FailureCause } from './aggregation.error.js';
import { isQuorumReached } from './quorum.js';
import type { ClaimedSignature } from './bisect.js';
import type { CollectSignaturesRequest } from './signature-aggregator.js';

const MAX_REPORTED_CAUSES = 5;

interface Entry {
  validator: CanonicalValidator;
  counted: boolean;
  signature: BlsSignature | undefined;
  asked: boolean;
  /** Nodes of this entry that may still answer. */
  askers: number;
  failure: string | undefined;
}

/** The sums of one collection: who signed, who still may, and what that means for quorum and buffer. */
export class SigningProgress {
  private readonly entries: readonly Entry[];
  private readonly totalWeight: bigint;
  private readonly quorumPercentage: number;
  private readonly goalPercentage: number;
  private signedWeight = 0n;
  private signers = 0;

  constructor(request: CollectSignaturesRequest) {
    this.totalWeight = request.validatorSet.totalWeight;
    this.quorumPercentage = request.quorumPercentage;
    this.goalPercentage = request.quorumPercentage + request.quorumPercentageBuffer;
    this.entries = request.validatorSet.validators.map((validator, index) => ({
      validator,
      counted: !(request.excluded?.has(index) ?? false),
      signature: undefined,
      asked: false,
      askers: validator.nodeIds.length,
      failure: undefined,
    }));
  }

  hasSigned(index: number): boolean {
    return this.entries[index]?.signature !== undefined;
  }

  markSigned(index: number, signature: BlsSignature): void {
    const entry = this.entries[index];
    if (entry === undefined || entry.signature !== undefined) return;
    entry.signature = signature;
    if (!entry.counted) return;
    this.signedWeight += entry.validator.weight;
    this.signers += 1;
  }

  noteAsked(index: number): void {
    const entry = this.entries[index];
    if (entry !== undefined) entry.asked = true;
  }

  noteFailure(index: number, reason: string): void {
    const entry = this.entries[index];
    if (entry !== undefined) entry.failure = reason;
  }

  askerEnded(index: number): void {
    const entry = this.entries[index];
    if (entry !== undefined) entry.askers -= 1;
  }

  isGoalReached(): boolean {
    return this.reaches(this.signedWeight, this.goalPercentage);
  }

  isQuorumReached(): boolean {
    return this.reaches(this.signedWeight, this.quorumPercentage);
  }

  /** Whether the goal would be reached if all these unverified claims were right. */
  wouldReachGoal(claimed: Iterable<number>): boolean {
    let weight = this.signedWeight;
    let claims = 0;
    for (const index of claimed) {
      const entry = this.entries[index];
      if (entry === undefined || !entry.counted) continue;
      weight += entry.validator.weight;
      claims += 1;
    }
    return claims > 0 && this.isEnough(weight, this.goalPercentage);
  }

  /** False once too much weight can no longer sign, whatever happens. `claims` are answers not verified yet. */
  canReachQuorum(claims: ReadonlyMap<number, unknown>): boolean {
    const open = this.entries.filter((entry, index) => entry.counted && this.maySign(entry, index, claims));
    const signedWeight = open.reduce((sum, entry) => sum + entry.validator.weight, 0n);
    return open.length > 0 && this.isEnough(signedWeight, this.quorumPercentage);
  }

  /** Whether no one is left who could still answer. */
  isExhausted(claims: ReadonlyMap<number, unknown>): boolean {
    return this.entries.every(
      (entry, index) => entry.signature !== undefined || claims.has(index) || entry.askers <= 0,
    );
  }

  isConnectedQuorum(isConnected: (nodeId: string) => boolean): boolean {
    return this.isEnough(this.connectedWeight(isConnected), this.quorumPercentage);
  }

  /** Signatures of counted entries by index: those that were proved, and these claims. */
  signaturesWith(claims: readonly ClaimedSignature[]): Map<number, BlsSignature> {
    const signatures = new Map<number, BlsSignature>();
    this.entries.forEach(({ signature, counted }, index) => {
      if (signature !== undefined && counted) signatures.set(index, signature);
    });
    for (const { index, signature } of claims)
      if (this.entries[index]?.counted) signatures.set(index, signature);
    return signatures;
  }

  facts(isConnected: (nodeId: string) => boolean): AggregationFacts {
    return {
      quorumPercentage: this.quorumPercentage,
      validatorCount: this.entries.length,
      // Signatures that an earlier attempt gathered were asked for then.
      validatorsAsked: this.entries.filter((entry) => entry.asked || entry.signature !== undefined).length,
      totalWeight: this.totalWeight,
      connectedWeight: this.connectedWeight(isConnected),
      signedWeight: this.signedWeight,
      causes: this.causes(),
    };
  }

  /** An explicit quorum of 0 still needs one signature: a message without signers verifies nowhere. */
  private reaches(signedWeight: bigint, percentage: number): boolean {
    return this.signers > 0 && this.isEnough(signedWeight, percentage);
  }

  private isEnough(signedWeight: bigint, percentage: number): boolean {
    return isQuorumReached({ signedWeight, totalWeight: this.totalWeight, percentage });
  }

  private maySign(entry: Entry, index: number, claims: ReadonlyMap<number, unknown>): boolean {
    return entry.signature !== undefined || entry.askers > 0 || claims.has(index);
  }

  /** A signature got before counts like a connection: its weight no longer depends on one. */
  private connectedWeight(isConnected: (nodeId: string) => boolean): bigint {
    return this.entries
      .filter(
        (entry) =>
          entry.counted && (entry.signature !== undefined || entry.validator.nodeIds.some(isConnected)),
      )
      .reduce((sum, entry) => sum + entry.validator.weight, 0n);
  }

  private causes(): FailureCause[] {
    const byReason = new Map<string, FailureCause>();
    for (const { signature, failure, validator, counted } of this.entries) {
      if (signature !== undefined) continue;
      const reason = counted ? (failure ?? 'not asked yet') : 'excluded: too little balance';
      const cause = byReason.get(reason) ?? { reason, validators: 0, weight: 0n };
      byReason.set(reason, {
        reason,
        validators: cause.validators + 1,
        weight: cause.weight + validator.weight,
      });
    }
    return [...byReason.values()]
      .sort((a, b) => (a.weight < b.weight ? 1 : -1))
      .slice(0, MAX_REPORTED_CAUSES);
  }
}
