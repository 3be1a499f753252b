import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Bls, UncheckedBlsSignature } from '../bls/bls.js';
import { packSignatureRequest } from '../p2p/messages/acp118.js';
import {
  AppRequestError,
  type AppRequestErrorCode,
  type AppRequestNetwork,
} from '../p2p/network/app-request-network.js';
import { WarpVerificationError } from '../warp/verify-message.js';
import { AggregationError, type AggregationErrorCode } from './aggregation.error.js';
import { AnswerTimes } from './answer-times.js';
import { type ClaimedSignature, separateInvalid } from './bisect.js';
import { assembleSignedMessage } from './assemble-signed-message.js';
import type { CollectedMessage, CollectSignaturesRequest, ValidatorAnswer } from './collection-request.js';
import { DistrustedSigners } from './distrusted-signers.js';
import { parseSignatureResponse } from './parse-signature-response.js';
import { classifyRefusal, describeFailure, type RefusalKind } from './refusal.js';
import { type Asker, SigningProgress } from './signing-progress.js';

/** Pause before a validator is asked again: doubles up to the cap, with jitter so that 1000 retries do not align. */
const RETRY_BASE_MS = 250;
const RETRY_CAP_MS = 4_000;
/** When the goal is not reached by then, what came in is proved and handed on, so that a crash does not cost it. */
const BATCH_INTERVAL_MS = 1_000;
/** So many are proved in one go, in some 10 ms; others are served in between. */
const PROOF_CHUNK = 64;
/** Time for the last answers once the quorum is out of reach. */
const LAST_ANSWERS_MS = 300;

/** Sets up to this size are asked at once. */
const SMALL_SET = 20;
/** The first wave asks for more than is needed by so much of the total weight and so many validators. */
const SPARE_PERCENTAGE = 15;
const SPARE_VALIDATORS = 8;
const SECOND_WAVE_MS = 250;
const ABSENCE_GRACE_MS = 1_000;

const PLATFORM_CHAIN = new Uint8Array(32);

const ANSWER_OF_CODE = {
  NOT_CONNECTED: 'not_connected',
  DISCONNECTED: 'disconnected',
  TIMED_OUT: 'timed_out',
  ABORTED: 'aborted',
  TOO_MANY_REQUESTS: 'too_many_requests',
  APP_ERROR: 'app_error',
} as const satisfies Record<AppRequestErrorCode, ValidatorAnswer>;

/**
 * Gathers signatures over one message from the validators of a canonical set until quorum plus buffer, and assembles the signed
 * message.
 *
 * Large sets are asked in two waves: at once the heaviest that are connected, with some weight to spare, and the others when no more
 * answers come, or as soon as the first wave can no longer reach the goal. Who is not connected is asked when he is. Verification is
 * aggregate-first: once enough weight has answered, the message is assembled and verified with one pairing. Only when that fails
 * the answers are proved in batches and bisected, and those that are wrong are dropped and their signers distrusted for a while. So a
 * validator that lies, stalls, floods or sends garbage costs its own weight and nothing else.
 *
 * Throws AggregationError when the quorum is not reached; `isFinal` tells whether more time could help.
 */
export function collectSignatures(
  network: AppRequestNetwork,
  bls: Bls,
  request: CollectSignaturesRequest,
): Promise<CollectedMessage> {
  return new SignatureCollection(network, bls, request).run();
}

class SignatureCollection {
  private readonly progress: SigningProgress;
  private readonly appBytes: Uint8Array;
  private readonly distrusted: DistrustedSigners;
  private readonly answerTimes: AnswerTimes;
  private readonly stop = new AbortController();
  private readonly startedAtMs = performance.now();
  private readonly timers = new Set<NodeJS.Timeout>();
  private readonly cleanUps: (() => void)[] = [];
  /** Who is asked as soon as he connects. */
  private readonly absent = new Map<string, Asker>();
  /** Who is left for the second wave, while it has not begun. */
  private held: Asker[] | undefined;
  private secondWave: NodeJS.Timeout | undefined;
  private proving: Promise<void> | undefined;
  /** A message did not verify: until all is proved, only what was proved counts. */
  private isSuspicious = false;
  private hasDoubtedKnown = false;
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
    private readonly bls: Bls,
    private readonly request: CollectSignaturesRequest,
  ) {
    this.progress = new SigningProgress(request);
    this.appBytes = packSignatureRequest(request);
    this.distrusted = request.distrusted ?? new DistrustedSigners();
    this.answerTimes = request.answerTimes ?? new AnswerTimes();
  }

  run(): Promise<CollectedMessage> {
    return new Promise<CollectedMessage>((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
      for (const [index, signature] of this.request.known ?? []) this.progress.markSigned(index, signature);
      if (!this.progress.canReachQuorum()) return this.fail('INSUFFICIENT_SIGNING_WEIGHT', true);
      if (this.progress.isGoalReached(false)) this.succeed();
      if (!this.isSettled) this.start();
    });
  }

  private start(): void {
    const { signal, limits } = this.request;
    if (signal?.aborted) return this.abort();
    const onAbort = () => this.abort();
    signal?.addEventListener('abort', onAbort, { once: true });
    const unsigned = this.progress.unsignedByWeight().map((index) => this.progress.askersOf(index));
    this.cleanUps.push(
      () => signal?.removeEventListener('abort', onAbort),
      this.network.onConnected((nodeId) => this.onConnected(nodeId)),
      this.network.track(unsigned.flat().map(({ nodeId }) => nodeId)),
    );
    this.after(limits.timeoutMs, () => this.onTimeout());
    this.after(limits.connectTimeoutMs, () => this.onConnectTimeout());
    this.after(limits.bufferTimeoutMs, () => this.check());
    this.watchSilence();
    this.proveAfterInterval();
    this.askFirstWave(unsigned);
    this.scheduleCheck();
  }

  /** `entries` are the nodes of each validator, the heaviest first. Small sets are asked whole. */
  private askFirstWave(entries: readonly (readonly Asker[])[]): void {
    const isSmall = entries.length <= SMALL_SET;
    let spare = 0;
    for (const askers of entries) {
      const isSpare = this.progress.mayReachGoal();
      if (!isSmall && spare >= SPARE_VALIDATORS && this.progress.mayReachGoal(SPARE_PERCENTAGE)) {
        this.held ??= [];
      }
      for (const asker of askers) this.ask(asker);
      if (isSpare && askers.some(({ state }) => state === 'asked')) spare += 1;
    }
  }

  /** Silence means something only when those who were asked have had the time that answers take at present. */
  private watchSilence(): void {
    const silenceMs = this.request.limits.secondWaveMs ?? SECOND_WAVE_MS;
    const leftMs = this.answerTimes.patienceMs - this.elapsedMs();
    this.secondWave = this.after(Math.max(silenceMs, leftMs), () => {
      if (this.elapsedMs() < this.answerTimes.patienceMs) this.watchSilence();
      else this.askHeld();
    });
  }

  private askHeld(): void {
    const { held = [] } = this;
    this.held = undefined;
    this.secondWave = undefined;
    for (const asker of held) this.ask(asker);
  }

  /** Asks a node as soon as it is connected and needed. */
  private ask(asker: Asker): void {
    const { index, nodeId } = asker;
    if (this.isSettled || asker.state === 'asked') return;
    if (this.progress.hasSigned(index)) return this.progress.setAsker(asker, 'done');
    if (this.isDistrusted(asker)) return this.passOver(asker);
    if (!this.network.isConnected(nodeId)) return this.awaitConnection(asker);
    if (this.held !== undefined) {
      this.held.push(asker);
      return this.progress.setAsker(asker, 'held');
    }
    // Of one that is asked again it is known what was wrong.
    if (asker.state !== 'paused') this.progress.noteFailure(index, 'no answer yet');
    this.progress.setAsker(asker, 'asked');
    const askedAtMs = performance.now();
    this.network
      .appRequest({
        nodeId,
        chainId: this.request.sourceChainId,
        appBytes: this.appBytes,
        timeoutMs: this.request.limits.requestTimeoutMs,
        signal: this.stop.signal,
      })
      .then((answer) => {
        this.answerTimes.observe(performance.now() - askedAtMs);
        this.onAnswer(asker, answer);
      })
      .catch((error: unknown) => this.onFailure(asker, error));
  }

  private isDistrusted({ index, nodeId }: Asker): boolean {
    const validator = this.request.validatorSet.validators[index];
    return validator !== undefined && this.distrusted.has(nodeId, validator.publicKeyBytes);
  }

  private passOver(asker: Asker): void {
    this.progress.noteFailure(asker.index, 'wrong signature, a moment ago');
    this.endAsking(asker);
  }

  private awaitConnection(asker: Asker): void {
    const { index, nodeId } = asker;
    this.absent.set(nodeId, asker);
    this.progress.noteFailure(index, `not connected (${this.network.connectionState(nodeId)})`);
    this.progress.setAsker(asker, 'absent');
    this.scheduleCheck();
  }

  private onConnected(nodeId: string): void {
    const asker = this.absent.get(nodeId);
    if (asker === undefined) return;
    this.absent.delete(nodeId);
    this.ask(asker);
    this.scheduleCheck();
  }

  private onAnswer(asker: Asker, answer: Uint8Array): void {
    if (this.isSettled) return;
    // Where answers still come, the many light validators of the second wave would only be in their way.
    this.secondWave?.refresh();
    const { index } = asker;
    const parsed = parseSignatureResponse(this.bls, answer);
    this.request.onAnswer?.(typeof parsed === 'string' ? parsed : 'signature');
    if (parsed === 'empty') {
      this.progress.noteFailure(index, 'has no signature for this message');
      return this.mayMend('lagging') ? this.askAgain(asker) : this.endAsking(asker);
    }
    if (parsed === 'malformed') this.bench(asker, 'malformed signature');
    else this.accept(asker, parsed);
    this.endAsking(asker);
  }

  private onFailure(asker: Asker, error: unknown): void {
    if (this.isSettled) return;
    if (!(error instanceof AppRequestError)) return this.finish(() => this.reject(error));
    this.request.onAnswer?.(ANSWER_OF_CODE[error.code]);
    this.progress.noteFailure(asker.index, describeFailure(error));
    if (this.isWorthAsking(error)) this.askAgain(asker);
    else this.endAsking(asker);
  }

  private isWorthAsking(error: AppRequestError): boolean {
    if (error.code !== 'APP_ERROR') return true;
    const fromPlatformChain = Buffer.compare(this.request.sourceChainId, PLATFORM_CHAIN) === 0;
    return this.mayMend(classifyRefusal(error.appErrorCode, fromPlatformChain));
  }

  private mayMend(kind: RefusalKind): boolean {
    const { refusalRetryMs, executionRetryMs } = this.request.limits;
    switch (kind) {
      case 'lagging':
        return this.elapsedMs() < refusalRetryMs;
      case 'unexecuted':
        return this.elapsedMs() < executionRetryMs;
      case 'final':
        return false;
    }
  }

  private askAgain(asker: Asker): void {
    this.progress.setAsker(asker, 'paused');
    const pauseMs = Math.min(RETRY_BASE_MS * 2 ** (asker.timesAsked - 1), RETRY_CAP_MS);
    this.after(pauseMs * (0.75 + Math.random() / 2), () => this.ask(asker));
    this.scheduleCheck();
  }

  private endAsking(asker: Asker): void {
    this.progress.setAsker(asker, 'done');
    this.scheduleCheck();
  }

  private accept(asker: Asker, signature: UncheckedBlsSignature): void {
    const { index } = asker;
    const validator = this.request.validatorSet.validators[index];
    if (validator === undefined || this.progress.hasSigned(index)) return;
    const claim: ClaimedSignature = { index, publicKey: validator.publicKey, signature };
    // Nodes that share a key answer for each other: proved at once, so that a liar cannot stand in for its honest twin.
    if (validator.nodeIds.length === 1) this.progress.claim(claim);
    else if (this.bls.verifyEach(this.request.message, [claim])) this.confirm([claim]);
    else this.distrust(asker);
  }

  /** No honest node sends this, whatever its keys are. */
  private bench({ index, nodeId }: Asker, reason: string): void {
    this.progress.noteFailure(index, reason);
    this.network.bench(nodeId, reason);
  }

  private distrust({ index, nodeId }: Asker): void {
    this.request.onAnswer?.('wrong_signature');
    this.progress.noteFailure(index, 'wrong signature');
    const validator = this.request.validatorSet.validators[index];
    if (validator !== undefined) this.distrusted.add(nodeId, validator.publicKeyBytes);
  }

  private proveAfterInterval(): void {
    this.after(BATCH_INTERVAL_MS, () => this.proveThen(() => this.proveAfterInterval()));
  }

  /** Proves all that came in, and goes on from there unless the collection ended meanwhile. */
  private proveThen(next: () => void): void {
    this.proving ??= this.proveClaims().finally(() => {
      this.proving = undefined;
      this.isSuspicious = false;
    });
    this.proving
      .then(() => {
        if (!this.isSettled) next();
      })
      .catch((error: unknown) => this.finish(() => this.reject(error)));
  }

  private async proveClaims(): Promise<void> {
    let claims = this.progress.openClaims();
    while (claims.length > 0 && !this.isSettled) {
      const { valid, invalid } = separateInvalid(
        this.bls,
        this.request.message,
        claims.slice(0, PROOF_CHUNK),
      );
      invalid.forEach((claim) => this.refute(claim));
      this.confirm(valid);
      claims = this.progress.openClaims();
      if (claims.length > 0) await nextTurn();
    }
  }

  private confirm(valid: readonly ClaimedSignature[]): void {
    for (const { index, signature } of valid) this.progress.markSigned(index, signature);
    const isNew = valid.filter((claim) => !this.isKnown(claim));
    if (isNew.length > 0) this.request.onVerified?.(isNew);
    this.scheduleCheck();
  }

  private refute(claim: ClaimedSignature): void {
    const askers = this.progress.askersOf(claim.index);
    this.progress.refute(claim.index);
    // An invalid one that came with the request is no validator's offence.
    if (this.isKnown(claim)) askers.forEach((asker) => this.ask(asker));
    else askers.forEach((asker) => this.distrust(asker));
    this.scheduleCheck();
  }

  private isKnown({ index, signature }: ClaimedSignature): boolean {
    return this.request.known?.get(index) === signature;
  }

  /** Answers arrive in bursts; one look at the sums per burst is enough. */
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
    const withClaims = !this.isSuspicious;
    if (this.progress.isGoalReached(withClaims)) return this.succeed();
    if (this.isQuorumEnough() && this.progress.isQuorumReached(withClaims)) return this.succeed();
    if (this.isTimeOver) return this.failInTime();
    if (this.held !== undefined && !this.progress.mayReachGoal()) this.askHeld();
    if (!this.progress.canReachQuorum()) return this.giveUp();
    this.watchAbsence();
  }

  /** Whether the buffer is past hope, or past its time. */
  private isQuorumEnough(): boolean {
    if (this.isAbsenceAccepted || this.progress.isExhausted()) return true;
    const { acceptQuorumAtTimeout, limits } = this.request;
    return acceptQuorumAtTimeout && this.elapsedMs() >= limits.bufferTimeoutMs;
  }

  /** On a real network someone is always missing: a buffer that only the missing could give is not waited for to the end. */
  private watchAbsence(): void {
    if (!this.progress.areAnswersIn() || !this.progress.isQuorumReached(true)) {
      clearTimeout(this.absenceGrace);
      this.absenceGrace = undefined;
      return;
    }
    this.absenceGrace ??= this.after(this.request.limits.absenceGraceMs ?? ABSENCE_GRACE_MS, () => {
      this.isAbsenceAccepted = true;
      this.check();
    });
  }

  /** Too much weight has refused. Answers on their way are waited for, so that the error tells who would have signed. */
  private giveUp(): void {
    if (this.isGivingUp) return;
    this.isGivingUp = true;
    const give = () => this.proveThen(() => this.fail('INSUFFICIENT_SIGNATURES', true));
    if (this.progress.areAnswersIn()) give();
    else this.after(LAST_ANSWERS_MS, give);
  }

  /** Ends the collection with a message of all that came in, unless that does not verify: then someone lied. */
  private succeed(): void {
    const claims = this.isSuspicious ? [] : this.progress.openClaims();
    try {
      const signatures = this.progress.signaturesWith(claims);
      const signed = assembleSignedMessage(this.bls, { ...this.request, signatures });
      const unproven = this.progress.openClaims().filter((claim) => !this.isKnown(claim));
      this.finish(() => this.resolve({ ...signed, unproven }));
    } catch (error) {
      this.doubtKnown();
      if (error instanceof WarpVerificationError && this.progress.openClaims().length > 0) {
        this.isSuspicious = true;
        this.proveThen(() => this.check());
      } else {
        // All were proved, so this is a bug of ours, not a liar.
        this.finish(() => this.reject(error));
      }
    }
  }

  private doubtKnown(): void {
    if (this.hasDoubtedKnown) return;
    this.hasDoubtedKnown = true;
    for (const index of this.request.known?.keys() ?? []) this.progress.doubt(index);
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
    if (this.proving !== undefined) return;
    this.fail(this.isConnectedQuorum() ? 'INSUFFICIENT_SIGNATURES' : 'INSUFFICIENT_CONNECTED_WEIGHT', false);
  }

  private isConnectedQuorum(): boolean {
    return this.progress.isConnectedQuorum((nodeId) => this.network.isConnected(nodeId));
  }

  private fail(code: AggregationErrorCode, isFinal: boolean): void {
    const facts = this.progress.facts((nodeId) => this.network.isConnected(nodeId));
    this.finish(() => this.reject(new AggregationError(code, facts, isFinal)));
  }

  private abort(): void {
    this.finish(() => this.reject(this.request.signal?.reason));
  }

  private finish(settle: () => void): void {
    if (this.isSettled) return;
    this.isSettled = true;
    settle();
    for (const cleanUp of this.cleanUps) cleanUp();
    for (const timer of this.timers) clearTimeout(timer);
    // With a reason, for without one an exception is made with its stack.
    this.stop.abort('the collection is over');
  }

  private elapsedMs(): number {
    return performance.now() - this.startedAtMs;
  }

  private after(delayMs: number, callback: () => void): NodeJS.Timeout {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      callback();
    }, delayMs);
    this.timers.add(timer);
    return timer;
  }
}
