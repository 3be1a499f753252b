import type { Bls } from '../bls/bls.js';
import type { AppRequestNetwork } from '../p2p/network/app-request-network.js';
import { AggregationError, type AggregationErrorCode } from './aggregation.error.js';
import type { CollectedMessage, CollectSignaturesRequest } from './collection-request.js';
import { Inquiry } from './inquiry.js';
import { Proofs } from './proofs.js';
import { SigningProgress } from './signing-progress.js';
import { Timers } from './timers.js';

/** When the goal is not reached by then, what came in is proved and handed on, so that a crash does not cost it. */
const BATCH_INTERVAL_MS = 1_000;
/** Time for the last answers once the quorum is out of reach. */
const LAST_ANSWERS_MS = 300;
const ABSENCE_GRACE_MS = 1_000;

/**
 * Gathers signatures over one message from the validators of a canonical set until quorum plus buffer, and assembles the signed
 * message.
 *
 * Large sets are asked in two waves (`Inquiry`): at once the heaviest that are connected, with some weight to spare, and the others
 * when no more answers arrive, or as soon as the first wave can no longer reach the goal. Verification is aggregate-first
 * (`Proofs`): once enough weight has answered, the message is assembled and verified with one pairing, and only when that fails
 * the wrong signatures are found and their signers distrusted for a while. So a validator that lies, stalls, floods or sends
 * garbage costs its own weight and nothing else.
 *
 * Throws AggregationError when the quorum is not reached; `isFinal` states whether more time could help.
 */
export function collectSignatures(
  network: AppRequestNetwork,
  bls: Bls,
  request: CollectSignaturesRequest,
): Promise<CollectedMessage> {
  return new SignatureCollection(network, bls, request).run();
}

/** Decides when a collection is over, and with what. */
class SignatureCollection {
  private readonly progress: SigningProgress;
  private readonly inquiry: Inquiry;
  private readonly proofs: Proofs;
  private readonly timers = new Timers();
  private readonly startedAtMs = performance.now();
  private readonly onAbort = (): void => this.finish(() => this.reject(this.request.signal?.reason));
  private absenceGrace: NodeJS.Timeout | undefined;
  private isAbsenceAccepted = false;
  private isCheckScheduled = false;
  private isGivingUp = false;
  private isTimeOver = false;
  private isSettled = false;
  private resolve!: (collected: CollectedMessage) => void;
  private reject!: (error: unknown) => void;

  constructor(
    private readonly network: AppRequestNetwork,
    bls: Bls,
    private readonly request: CollectSignaturesRequest,
  ) {
    this.progress = new SigningProgress(request);
    this.inquiry = new Inquiry(network, bls, request, this.progress, {
      onSignature: (asker, signature) => {
        if (!this.proofs.add(asker.index, signature)) this.inquiry.distrust([asker]);
      },
      onChange: () => this.scheduleCheck(),
      onError: (error) => this.finish(() => this.reject(error)),
    });
    this.proofs = new Proofs(bls, request, this.progress, {
      onRefuted: (index, isKnown) => {
        if (isKnown) this.inquiry.askAgain(index);
        else this.inquiry.distrust(this.progress.askersOf(index));
      },
    });
  }

  run(): Promise<CollectedMessage> {
    return new Promise<CollectedMessage>((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
      if (!this.progress.canReachQuorum()) return this.fail('INSUFFICIENT_SIGNING_WEIGHT', true);
      if (this.progress.isGoalReached(false)) this.succeed();
      if (!this.isSettled) this.start();
    });
  }

  private start(): void {
    const { signal, limits } = this.request;
    if (signal?.aborted) return this.onAbort();
    signal?.addEventListener('abort', this.onAbort, { once: true });
    this.timers.after(limits.timeoutMs, () => this.onTimeout());
    this.timers.after(limits.connectTimeoutMs, () => this.onConnectTimeout());
    this.timers.after(limits.bufferTimeoutMs, () => this.check());
    this.proveAfterInterval();
    this.inquiry.start();
    this.scheduleCheck();
  }

  private proveAfterInterval(): void {
    this.timers.after(BATCH_INTERVAL_MS, () => this.proveThen(() => this.proveAfterInterval()));
  }

  /** Proves all that came in, and continues unless the collection ended meanwhile. */
  private proveThen(next: () => void): void {
    this.proofs
      .proveAll()
      .then(() => {
        this.scheduleCheck();
        if (!this.isSettled) next();
      })
      .catch((error: unknown) => this.finish(() => this.reject(error)));
  }

  /** Answers arrive in bursts; the sums are compared once per burst. */
  private scheduleCheck(): void {
    if (this.isCheckScheduled || this.isSettled) return;
    this.isCheckScheduled = true;
    setImmediate(() => {
      this.isCheckScheduled = false;
      this.check();
    });
  }

  private check(): void {
    if (this.isSettled) return;
    const withClaims = this.proofs.areClaimsCounted;
    if (this.progress.isGoalReached(withClaims)) return this.succeed();
    if (this.isQuorumEnough() && this.progress.isQuorumReached(withClaims)) return this.succeed();
    if (this.isTimeOver) return this.failInTime();
    this.inquiry.askMoreIfNeeded();
    if (!this.progress.canReachQuorum()) return this.giveUp();
    this.watchAbsence();
  }

  /** Whether the buffer is past hope, or past its time. */
  private isQuorumEnough(): boolean {
    if (this.isAbsenceAccepted || this.progress.isExhausted()) return true;
    const { acceptQuorumAtTimeout, limits } = this.request;
    return acceptQuorumAtTimeout && performance.now() - this.startedAtMs >= limits.bufferTimeoutMs;
  }

  /** On a real network someone is always missing: a buffer that only the missing could give is not waited for to the end. */
  private watchAbsence(): void {
    if (!this.progress.areAnswersIn() || !this.progress.isQuorumReached(true)) {
      clearTimeout(this.absenceGrace);
      this.absenceGrace = undefined;
      return;
    }
    this.absenceGrace ??= this.timers.after(this.request.limits.absenceGraceMs ?? ABSENCE_GRACE_MS, () => {
      this.isAbsenceAccepted = true;
      this.check();
    });
  }

  /** Too much weight has refused. Answers on their way are waited for, so that the error states who would have signed. */
  private giveUp(): void {
    if (this.isGivingUp) return;
    this.isGivingUp = true;
    this.inquiry.askNoMore();
    const give = () => this.proveThen(() => this.fail('INSUFFICIENT_SIGNATURES', true));
    if (this.progress.areAnswersIn()) give();
    else this.timers.after(LAST_ANSWERS_MS, give);
  }

  private succeed(): void {
    try {
      const collected = this.proofs.assemble();
      if (collected === undefined) return this.proveThen(() => this.check());
      this.finish(() => {
        this.resolve(collected);
        if (this.request.onLate !== undefined) this.inquiry.hearLate(this.request.onLate);
      });
    } catch (error) {
      this.finish(() => this.reject(error));
    }
  }

  private onConnectTimeout(): void {
    if (this.isConnectedQuorum()) return;
    this.proveThen(() => {
      if (!this.progress.isQuorumReached(false)) this.fail('INSUFFICIENT_CONNECTED_WEIGHT', false);
    });
  }

  private onTimeout(): void {
    this.isTimeOver = true;
    this.proveThen(() => this.check());
  }

  /** Unless something is still being proved: then that decides. */
  private failInTime(): void {
    if (this.proofs.areUnderWay) return;
    this.fail(this.isConnectedQuorum() ? 'INSUFFICIENT_SIGNATURES' : 'INSUFFICIENT_CONNECTED_WEIGHT', false);
  }

  private isConnectedQuorum(): boolean {
    return this.progress.isConnectedQuorum((nodeId) => this.network.isConnected(nodeId));
  }

  private fail(code: AggregationErrorCode, isFinal: boolean): void {
    const facts = this.progress.facts((nodeId) => this.network.isConnected(nodeId));
    this.finish(() => this.reject(new AggregationError(code, facts, isFinal)));
  }

  private finish(settle: () => void): void {
    if (this.isSettled) return;
    this.isSettled = true;
    settle();
    this.request.signal?.removeEventListener('abort', this.onAbort);
    this.timers.clear();
    this.proofs.stop();
    if (!this.inquiry.isHearingLate) this.inquiry.stop();
  }
}
