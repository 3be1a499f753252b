import type { Bls, BlsSignature } from '../bls/bls.js';
import { packSignatureRequest } from '../p2p/acp118.js';
import { AppRequestError, type AppRequestNetwork } from '../p2p/app-request-network.js';
import type { CanonicalValidatorSet } from '../warp/canonical-validator-set.js';
import { WarpVerificationError } from '../warp/verify-message.js';
import { AggregationError, type AggregationErrorCode } from './aggregation.error.js';
import { type ClaimedSignature, separateInvalid } from './bisect.js';
import { assembleSignedMessage, type SignedMessage } from './assemble-signed-message.js';
import { SigningProgress } from './signing-progress.js';
import { parseSignatureResponse } from './parse-signature-response.js';
import { classifyRefusal, describeFailure, type RefusalKind } from './refusal.js';

/** All in milliseconds. */
export interface CollectionLimits {
  /** After this, what was gathered decides. */
  timeoutMs: number;
  /** Time to get the quorum's weight connected. */
  connectTimeoutMs: number;
  /** Time after which the bare quorum is enough: the buffer is best effort. */
  bufferTimeoutMs: number;
  /** Time for one validator's answer. */
  requestTimeoutMs: number;
  /** How long refusals that may come from lag are asked again. */
  refusalRetryMs: number;
  /** How long those are that may come from a block that is accepted and not executed yet. */
  executionRetryMs: number;
}

export interface CollectSignaturesRequest {
  /** The bytes that validators sign: a packed unsigned Warp message. */
  message: Uint8Array;
  justification: Uint8Array;
  /** The chain whose validators are asked, 32 bytes. The request always goes to the source chain, whatever subnet signs. */
  sourceChainId: Uint8Array;
  validatorSet: CanonicalValidatorSet;
  quorumPercentage: number;
  quorumPercentageBuffer: number;
  /** Entries that are asked and kept but never counted, such as L1 validators about to run out of balance. */
  excluded?: ReadonlySet<number>;
  /** Signatures by index, verified before; they are not asked for again. */
  known?: ReadonlyMap<number, BlsSignature>;
  limits: CollectionLimits;
  /** Whether the bare quorum is enough when `timeoutMs` is over. A first, short attempt says no and leaves that to the next. */
  acceptQuorumAtTimeout: boolean;
  signal?: AbortSignal;
  /** Receives each batch of signatures right after it was verified. */
  onVerified?: (batch: readonly ClaimedSignature[]) => void;
}

export interface CollectedMessage extends SignedMessage {
  /** Signatures that came in but were not proved one by one: the whole was verified, which is all that the message needs. */
  unproven: readonly ClaimedSignature[];
}

/** Pause before a validator is asked again: doubles up to the cap, with jitter so that 1000 retries do not align. */
const RETRY_BASE_MS = 250;
const RETRY_CAP_MS = 4_000;
/** When the goal is not reached by then, what came in is proved and handed on, so that a crash does not cost it. */
const BATCH_INTERVAL_MS = 250;
/** Time for the last answers once the quorum is out of reach. */
const LAST_ANSWERS_MS = 300;
const PLATFORM_CHAIN = new Uint8Array(32);

/**
 * Gathers signatures over one message from the validators of a canonical set until quorum plus buffer, and assembles the signed
 * message.
 *
 * All connected validators are asked at once; those that are not connected as soon as they are. Verification is aggregate-first:
 * once enough weight has answered, the message is assembled and verified with one pairing. Only when that fails the answers are
 * proved in batches and bisected, and the liars are dropped and benched. So a validator that lies, stalls, floods or sends
 * garbage costs its own weight and nothing else.
 *
 * @throws AggregationError when the quorum is not reached; `isFinal` tells whether more time could help.
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
  private readonly claims = new Map<number, ClaimedSignature>();
  private readonly stop = new AbortController();
  private readonly waiting = new Map<string, (() => void)[]>();
  private readonly startedAtMs = performance.now();
  private readonly cleanUps: (() => void)[] = [];
  private checkScheduled = false;
  private isGivingUp = false;
  private settled = false;
  private resolve!: (collected: CollectedMessage) => void;
  private reject!: (error: unknown) => void;

  constructor(
    private readonly network: AppRequestNetwork,
    private readonly bls: Bls,
    private readonly request: CollectSignaturesRequest,
  ) {
    this.progress = new SigningProgress(request);
    this.appBytes = packSignatureRequest(request);
  }

  run(): Promise<CollectedMessage> {
    return new Promise<CollectedMessage>((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
      for (const [index, signature] of this.request.known ?? []) this.progress.markSigned(index, signature);
      if (this.progress.isGoalReached()) return this.succeed();
      if (!this.progress.canReachQuorum(this.claims)) return this.fail('INSUFFICIENT_SIGNING_WEIGHT', true);
      this.start();
    });
  }

  private start(): void {
    const { signal, validatorSet, limits } = this.request;
    if (signal?.aborted) return this.abort();
    const onAbort = () => this.abort();
    signal?.addEventListener('abort', onAbort, { once: true });
    this.cleanUps.push(() => signal?.removeEventListener('abort', onAbort));

    const unsigned = validatorSet.validators
      .map((validator, index) => ({ validator, index }))
      .filter(({ index }) => !this.progress.hasSigned(index));
    const nodeIds = unsigned.flatMap(({ validator }) => validator.nodeIds);
    this.cleanUps.push(
      this.network.onConnected((nodeId) => this.wake(nodeId)),
      this.network.track(nodeIds),
    );
    this.after(limits.timeoutMs, () => this.onTimeout());
    this.after(limits.connectTimeoutMs, () => this.onConnectTimeout());
    this.after(limits.bufferTimeoutMs, () => this.check());
    const batches = setInterval(() => this.verifyClaims(), BATCH_INTERVAL_MS);
    this.cleanUps.push(() => clearInterval(batches));

    for (const { validator, index } of unsigned) {
      for (const nodeId of validator.nodeIds) void this.ask(index, nodeId);
    }
  }

  /** Asks one node until it signed, refused for good, or the collection ended. Never rejects. */
  private async ask(index: number, nodeId: string): Promise<void> {
    let pauseMs = RETRY_BASE_MS;
    while (!this.settled && !this.progress.hasSigned(index)) {
      if (!this.network.isConnected(nodeId)) {
        this.progress.noteFailure(index, `not connected (${this.network.connectionState(nodeId)})`);
        await this.connected(nodeId);
        continue;
      }
      this.progress.noteAsked(index);
      this.progress.noteFailure(index, 'no answer yet');
      const outcome = await this.askOnce(index, nodeId);
      if (outcome === 'done') break;
      await this.pause(pauseMs * (0.75 + Math.random() / 2));
      pauseMs = Math.min(pauseMs * 2, RETRY_CAP_MS);
    }
    this.progress.askerEnded(index);
    this.scheduleCheck();
  }

  private async askOnce(index: number, nodeId: string): Promise<'done' | 'again'> {
    try {
      const answer = await this.network.appRequest({
        nodeId,
        chainId: this.request.sourceChainId,
        appBytes: this.appBytes,
        timeoutMs: this.request.limits.requestTimeoutMs,
        signal: this.stop.signal,
      });
      if (this.settled) return 'done';
      return this.accept(index, nodeId, answer);
    } catch (error) {
      if (this.settled) return 'done';
      if (!(error instanceof AppRequestError)) {
        this.finish(() => this.reject(error));
        return 'done';
      }
      this.progress.noteFailure(index, describeFailure(error));
      return this.isWorthAsking(error) ? 'again' : 'done';
    }
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

  private accept(index: number, nodeId: string, answer: Uint8Array): 'done' | 'again' {
    const parsed = parseSignatureResponse(this.bls, answer);
    if (parsed === 'empty') {
      this.progress.noteFailure(index, 'has no signature for this message');
      return this.mayMend('lagging') ? 'again' : 'done';
    }
    if (parsed === 'malformed') {
      this.condemn(index, nodeId, 'malformed signature');
      return 'done';
    }
    const validator = this.request.validatorSet.validators[index];
    if (validator === undefined || this.progress.hasSigned(index)) return 'done';
    const claim: ClaimedSignature = { index, publicKey: validator.publicKey, signature: parsed };
    // Nodes that share a key answer for each other: proved at once, so that a liar cannot stand in for its honest twin.
    if (validator.nodeIds.length > 1) {
      if (this.bls.verify(this.request.message, claim.publicKey, claim.signature)) this.confirm([claim]);
      else this.condemn(index, nodeId, 'wrong signature');
      return 'done';
    }
    this.claims.set(index, claim);
    return 'done';
  }

  private verifyClaims(): void {
    if (this.claims.size === 0 || this.settled) return;
    const { valid, invalid } = separateInvalid(this.bls, this.request.message, [...this.claims.values()]);
    this.claims.clear();
    for (const { index } of invalid) {
      const nodeId = this.request.validatorSet.validators[index]?.nodeIds[0];
      if (nodeId !== undefined) this.condemn(index, nodeId, 'wrong signature');
    }
    this.confirm(valid);
  }

  private confirm(valid: readonly ClaimedSignature[]): void {
    if (valid.length === 0) return;
    for (const { index, signature } of valid) this.progress.markSigned(index, signature);
    this.request.onVerified?.(valid);
    this.scheduleCheck();
  }

  private condemn(index: number, nodeId: string, reason: string): void {
    this.progress.noteFailure(index, reason);
    this.network.bench(nodeId, reason);
    this.scheduleCheck();
  }

  /** Answers arrive in bursts; one look at the sums per burst is enough. */
  private scheduleCheck(): void {
    if (this.checkScheduled || this.settled) return;
    this.checkScheduled = true;
    setImmediate(() => {
      this.checkScheduled = false;
      this.check();
    });
  }

  private check(): void {
    if (this.settled) return;
    if (this.progress.wouldReachGoal(this.claims.keys())) {
      if (this.assemble()) return;
      this.verifyClaims();
    }
    if (this.progress.isGoalReached()) return this.succeed();
    const exhausted = this.progress.isExhausted(this.claims);
    const bufferIsLate =
      this.request.acceptQuorumAtTimeout && this.elapsedMs() >= this.request.limits.bufferTimeoutMs;
    if (exhausted || bufferIsLate) {
      this.verifyClaims();
      if (this.progress.isQuorumReached()) return this.succeed();
    }
    if (!this.progress.canReachQuorum(this.claims)) this.giveUp(exhausted);
  }

  /** Too much weight has refused. Answers on their way are waited for, so that the error tells who would have signed. */
  private giveUp(exhausted: boolean): void {
    if (exhausted) return this.fail('INSUFFICIENT_SIGNATURES', true);
    if (this.isGivingUp) return;
    this.isGivingUp = true;
    this.after(LAST_ANSWERS_MS, () => {
      this.verifyClaims();
      this.fail('INSUFFICIENT_SIGNATURES', true);
    });
  }

  /** Ends the collection with a message of all that came in, unless that does not verify: then someone lied. */
  private assemble(): boolean {
    const unproven = [...this.claims.values()];
    try {
      const signatures = this.progress.signaturesWith(unproven);
      const signed = assembleSignedMessage(this.bls, { ...this.request, signatures });
      this.finish(() => this.resolve({ ...signed, unproven }));
      return true;
    } catch (error) {
      if (error instanceof WarpVerificationError && unproven.length > 0) return false;
      // All were proved, so this is a bug of ours, not a liar.
      this.finish(() => this.reject(error));
      return true;
    }
  }

  private onConnectTimeout(): void {
    if (this.settled || this.progress.isConnectedQuorum((nodeId) => this.network.isConnected(nodeId))) return;
    this.verifyClaims();
    if (!this.settled && !this.progress.isQuorumReached()) this.fail('INSUFFICIENT_CONNECTED_WEIGHT', false);
  }

  private onTimeout(): void {
    if (this.settled) return;
    this.verifyClaims();
    if (this.progress.isGoalReached()) return this.succeed();
    if (this.progress.isQuorumReached() && this.request.acceptQuorumAtTimeout) return this.succeed();
    const connected = this.progress.isConnectedQuorum((nodeId) => this.network.isConnected(nodeId));
    this.fail(connected ? 'INSUFFICIENT_SIGNATURES' : 'INSUFFICIENT_CONNECTED_WEIGHT', false);
  }

  private succeed(): void {
    if (this.assemble()) return;
    this.verifyClaims();
    this.check();
  }

  private fail(code: AggregationErrorCode, isFinal: boolean): void {
    const facts = this.progress.facts((nodeId) => this.network.isConnected(nodeId));
    this.finish(() => this.reject(new AggregationError(code, facts, isFinal)));
  }

  private abort(): void {
    this.finish(() => this.reject(this.request.signal?.reason));
  }

  private finish(settle: () => void): void {
    if (this.settled) return;
    this.settled = true;
    settle();
    for (const cleanUp of this.cleanUps) cleanUp();
    this.stop.abort();
    for (const wakers of this.waiting.values()) for (const wake of wakers) wake();
    this.waiting.clear();
  }

  private elapsedMs(): number {
    return performance.now() - this.startedAtMs;
  }

  private after(delayMs: number, callback: () => void): void {
    const timer = setTimeout(callback, delayMs);
    this.cleanUps.push(() => clearTimeout(timer));
  }

  private pause(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, delayMs);
      this.stop.signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
    });
  }

  private connected(nodeId: string): Promise<void> {
    if (this.settled) return Promise.resolve();
    return new Promise((resolve) => {
      const wakers = this.waiting.get(nodeId);
      if (wakers === undefined) this.waiting.set(nodeId, [resolve]);
      else wakers.push(resolve);
    });
  }

  private wake(nodeId: string): void {
    const wakers = this.waiting.get(nodeId) ?? [];
    this.waiting.delete(nodeId);
    for (const wake of wakers) wake();
  }
}
