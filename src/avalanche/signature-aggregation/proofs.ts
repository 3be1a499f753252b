import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Bls, UncheckedBlsSignature } from '../bls/bls.js';
import { WarpVerificationError } from '../warp/verify-message.js';
import { assembleSignedMessage } from './assemble-signed-message.js';
import { type ClaimedSignature, separateInvalid } from './bisect.js';
import type { CollectedMessage, CollectSignaturesRequest } from './collection-request.js';
import type { SigningProgress } from './signing-progress.js';

/** So many are proved in one go, in some 10 ms; others are served in between. */
export const PROOF_CHUNK = 64;

export interface ProofListener {
  /** A claimed signature is wrong. `isKnown`: it came with the request, so it is no validator's offence. */
  onRefuted(index: number, isKnown: boolean): void;
}

/**
 * The signatures of a collection, from claims to a verified message. Verification is aggregate-first: only when
 * the message of all claims does not verify, or on demand, they are proved in batches and bisected.
 */
export class Proofs {
  private proving: Promise<void> | undefined;
  /** A message did not verify: until all is proved, only what was proved counts. */
  private isSuspicious = false;
  private hasDoubtedKnown = false;
  private isOver = false;

  constructor(
    private readonly bls: Bls,
    private readonly request: CollectSignaturesRequest,
    private readonly progress: SigningProgress,
    private readonly listener: ProofListener,
  ) {
    for (const [index, signature] of request.known ?? []) progress.markSigned(index, signature);
  }

  get areClaimsCounted(): boolean {
    return !this.isSuspicious;
  }

  get areUnderWay(): boolean {
    return this.proving !== undefined;
  }

  stop(): void {
    this.isOver = true;
  }

  /** False when it is wrong, which is known at once of validators whose nodes share a key alone. */
  add(index: number, signature: UncheckedBlsSignature): boolean {
    const validator = this.request.validatorSet.validators[index];
    if (validator === undefined || this.progress.hasSigned(index)) return true;
    const claim: ClaimedSignature = { index, publicKey: validator.publicKey, signature };
    if (validator.nodeIds.length === 1) {
      this.progress.claim(claim);
      return true;
    }
    // Nodes that share a key answer for each other: proved at once, so that a liar cannot stand in for its honest twin.
    const isRight = this.bls.verifyEach(this.request.message, [claim]);
    if (isRight) this.confirm([claim]);
    return isRight;
  }

  /**
   * The message of all that counts. Undefined when it does not verify because some claim is wrong: then `proveAll` separates them.
   * Throws when all were proved before, which is a bug of ours and not a liar.
   */
  assemble(): CollectedMessage | undefined {
    const claims = this.isSuspicious ? [] : this.progress.openClaims();
    try {
      const signatures = this.progress.signaturesWith(claims);
      const signed = assembleSignedMessage(this.bls, { ...this.request, signatures });
      return { ...signed, unproven: this.progress.openClaims().filter((claim) => !this.isKnown(claim)) };
    } catch (error) {
      this.doubtKnown();
      if (!(error instanceof WarpVerificationError) || this.progress.openClaims().length === 0) throw error;
      this.isSuspicious = true;
      return undefined;
    }
  }

  /** Proves all claims; those that arrive meanwhile, too. */
  proveAll(): Promise<void> {
    this.proving ??= this.proveClaims().finally(() => {
      this.proving = undefined;
      this.isSuspicious = false;
    });
    return this.proving;
  }

  private async proveClaims(): Promise<void> {
    let claims = this.progress.openClaims();
    while (claims.length > 0 && !this.isOver) {
      const batch = claims.slice(0, PROOF_CHUNK);
      const { valid, invalid } = separateInvalid(this.bls, this.request.message, batch);
      for (const claim of invalid) {
        this.progress.refute(claim.index);
        this.listener.onRefuted(claim.index, this.isKnown(claim));
      }
      this.confirm(valid);
      claims = this.progress.openClaims();
      if (claims.length > 0) await nextTurn();
    }
  }

  private confirm(valid: readonly ClaimedSignature[]): void {
    for (const { index, signature } of valid) this.progress.markSigned(index, signature);
    const isNew = valid.filter((claim) => !this.isKnown(claim));
    if (isNew.length > 0) this.request.onVerified?.(isNew);
  }

  private doubtKnown(): void {
    if (this.hasDoubtedKnown) return;
    this.hasDoubtedKnown = true;
    for (const index of this.request.known?.keys() ?? []) this.progress.doubt(index);
  }

  private isKnown({ index, signature }: ClaimedSignature): boolean {
    return this.request.known?.get(index) === signature;
  }
}
