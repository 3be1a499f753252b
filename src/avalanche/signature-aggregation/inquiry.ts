import type { Bls, UncheckedBlsSignature } from '../bls/bls.js';
import { packSignatureRequest } from '../p2p/messages/acp118.js';
import type { AppRequestNetwork } from '../p2p/network/app-request-network.js';
import { PeerRequestError, type PeerRequestErrorCode } from '../p2p/peer-request.error.js';
import { AnswerTimes } from './answer-times.js';
import type { ClaimedSignature } from './bisect.js';
import type { CollectSignaturesRequest, ObservedAnswer, ValidatorAnswer } from './collection-request.js';
import { DistrustedSigners } from './distrusted-signers.js';
import { parseSignatureResponse } from './parse-signature-response.js';
import { classifyRefusal, describeFailure, isAboutTheNode, type RefusalKind } from './refusal.js';
import type { Asker, SigningProgress } from './signing-progress.js';
import { Timers } from './timers.js';
import { UnknownMessage } from './unknown-message.js';

/** Pause before a validator is asked again: doubles up to the cap, with jitter so that 1000 retries do not align. */
const RETRY_BASE_MS = 250;
const RETRY_CAP_MS = 4_000;
/** Of the few that are asked for all: their answers are worth knowing soon. */
const SENTINEL_RETRY_CAP_MS = 1_000;

/** Sets up to this size are asked at once. */
const SMALL_SET = 20;
/** The first wave asks for more than is needed by so much of the total weight and so many validators. */
const SPARE_PERCENTAGE = 15;
const SPARE_VALIDATORS = 8;
const SECOND_WAVE_MS = 250;
/** Those who were asked and have not answered when a message is complete are among the slowest. */
const LATE_ANSWERS_MS = 500;

const NOT_ASKED = 'not asked, for the heaviest do not know the message';

const TEXT_OF = {
  signature: '',
  empty: 'has no signature for this message',
  malformed: 'malformed signature',
} as const;

const PLATFORM_CHAIN = new Uint8Array(32);

const ANSWER_OF_CODE = {
  NOT_CONNECTED: 'not_connected',
  DISCONNECTED: 'disconnected',
  TIMED_OUT: 'timed_out',
  ABORTED: 'aborted',
  TOO_MANY_REQUESTS: 'too_many_requests',
  APP_ERROR: 'app_error',
} as const satisfies Record<PeerRequestErrorCode, ValidatorAnswer>;

export interface InquiryListener {
  /** On the curve, not proved. */
  onSignature(asker: Asker, signature: UncheckedBlsSignature): void;
  /** The state of a validator has changed. */
  onChange(): void;
  /** An error that is no answer of a validator. */
  onError(error: unknown): void;
}

/** Whom to ask, when, and how often: everything between a collection and the validators. Ends with `stop`. */
export class Inquiry {
  private readonly appBytes: Uint8Array;
  private readonly distrusted: DistrustedSigners;
  private readonly answerTimes: AnswerTimes;
  private readonly unknown: UnknownMessage;
  private readonly over = new AbortController();
  private readonly timers = new Timers();
  private readonly startedAtMs = performance.now();
  /** Those to be asked when they connect. */
  private readonly absent = new Map<string, Asker>();
  /** Those left for the second wave, while it has not begun. */
  private held: Asker[] | undefined;
  private secondWave: NodeJS.Timeout | undefined;
  private isAsking = true;
  /** Requests without an answer. */
  private underWay = 0;
  /** Since the message is complete. */
  private late: { readonly claims: ClaimedSignature[]; readonly end: () => void } | undefined;
  private release = (): void => undefined;

  constructor(
    private readonly network: AppRequestNetwork,
    private readonly bls: Bls,
    private readonly request: CollectSignaturesRequest,
    private readonly progress: SigningProgress,
    private readonly listener: InquiryListener,
  ) {
    this.appBytes = packSignatureRequest(request);
    this.distrusted = request.distrusted ?? new DistrustedSigners();
    this.answerTimes = request.answerTimes ?? new AnswerTimes();
    const { totalWeight, validators } = request.validatorSet;
    const isPresumedUnknown = request.sentinelsFirst === true && (request.known?.size ?? 0) === 0;
    const weightOf = (index: number): bigint => validators[index]?.weight ?? 0n;
    const askersOf = (index: number): readonly Asker[] => progress.askersOf(index);
    this.unknown = new UnknownMessage(totalWeight, weightOf, askersOf, isPresumedUnknown);
  }

  start(): void {
    const unsigned = this.progress.unsignedByWeight();
    const { validators } = this.request.validatorSet;
    const stopListening = this.network.onConnected((nodeId) => this.onConnected(nodeId));
    const stopTracking = this.network.track(unsigned.flatMap((index) => validators[index]?.nodeIds ?? []));
    this.release = () => {
      stopListening();
      stopTracking();
    };
    this.watchSilence();
    this.askFirstWave(unsigned);
  }

  /** Answers that are on their way are still heard. */
  askNoMore(): void {
    this.isAsking = false;
  }

  get isHearingLate(): boolean {
    return this.late !== undefined;
  }

  /** Ends when all have answered who were asked, with some weight to spare, or after a moment; hands on what came in. */
  hearLate(onLate: (claims: readonly ClaimedSignature[]) => void): void {
    if (this.isEnoughLate()) return;
    this.isAsking = false;
    this.timers.clear();
    const claims: ClaimedSignature[] = [];
    const end = (): void => {
      if (this.over.signal.aborted) return;
      this.stop();
      if (claims.length > 0) onLate(claims);
    };
    this.late = { claims, end };
    this.timers.after(LATE_ANSWERS_MS, end).unref();
  }

  stop(): void {
    this.release();
    this.timers.clear();
    // With a reason, for without one an exception is made with its stack.
    this.over.abort('the collection is over');
  }

  /** Begins the second wave if the validators that were asked cannot reach the goal, and it is not that all refuse. */
  askMoreIfNeeded(): void {
    if (this.held !== undefined && !this.unknown.isUnknown && !this.progress.mayReachGoal()) this.askHeld();
  }

  askAgain(index: number): void {
    for (const asker of this.progress.askersOf(index)) this.ask(asker);
  }

  /** Of a validator whose signature was wrong. */
  distrust(askers: readonly Asker[]): void {
    for (const { index, nodeId } of askers) {
      this.report({ index, nodeId }, 'wrong_signature', 'wrong signature');
      this.progress.noteFailure(index, 'wrong signature');
      const validator = this.request.validatorSet.validators[index];
      if (validator !== undefined) this.distrusted.add(nodeId, validator.publicKeyBytes);
    }
  }

  /** Entries, the heaviest first. Small sets are asked whole. */
  private askFirstWave(indexes: readonly number[]): void {
    const isSmall = indexes.length <= SMALL_SET;
    let spare = 0;
    for (const [place, index] of indexes.entries()) {
      if (this.unknown.needsNobody) {
        this.progress.explainUnasked(NOT_ASKED);
        return this.unknown.leaveUnasked(indexes.slice(place));
      }
      const askers = this.progress.askersOf(index).filter(({ state }) => state !== 'done');
      const isSpare = this.progress.mayReachGoal();
      if (!isSmall && spare >= SPARE_VALIDATORS && this.progress.mayReachGoal(SPARE_PERCENTAGE)) {
        this.held ??= [];
      }
      for (const asker of askers) this.ask(asker);
      if (isSpare && askers.some(({ state }) => state === 'asked')) spare += 1;
    }
  }

  /** Silence means something only after the time that answers take at present. */
  private watchSilence(): void {
    const silenceMs = this.request.limits.secondWaveMs ?? SECOND_WAVE_MS;
    const leftMs = this.answerTimes.patienceMs - this.elapsedMs();
    this.secondWave = this.timers.after(Math.max(silenceMs, leftMs), () => {
      if (this.unknown.isUnknown || this.elapsedMs() < this.answerTimes.patienceMs) this.watchSilence();
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
    if (this.over.signal.aborted || !this.isAsking || asker.state === 'asked') return;
    if (this.progress.hasSigned(index)) return this.progress.setAsker(asker, 'done');
    const distrust = this.distrustOf(asker);
    if (distrust !== undefined) {
      this.progress.noteFailure(index, `${distrust}, a moment ago`);
      return this.endAsking(asker);
    }
    if (!this.network.isConnected(nodeId)) return this.awaitConnection(asker);
    if (this.held !== undefined && !this.unknown.isSentinel(asker)) {
      this.held.push(asker);
      return this.progress.setAsker(asker, 'held');
    }
    if (this.unknown.isUnknown && asker.timesAsked === 0 && !this.unknown.isSentinel(asker)) {
      this.progress.noteFailure(index, NOT_ASKED);
      this.progress.setAsker(asker, 'paused');
      return this.rest(asker, 'unexecuted');
    }
    // Of one that is asked again it is known what was wrong.
    if (asker.state !== 'paused') this.progress.noteFailure(index, 'no answer yet');
    this.progress.setAsker(asker, 'asked');
    this.send(asker);
  }

  private send(asker: Asker): void {
    const askedAtMs = performance.now();
    this.underWay += 1;
    this.network
      .appRequest({
        nodeId: asker.nodeId,
        chainId: this.request.sourceChainId,
        appBytes: this.appBytes,
        timeoutMs: this.request.limits.requestTimeoutMs,
        signal: this.over.signal,
      })
      .catch((error: unknown) => {
        this.underWay -= 1;
        throw error;
      })
      .then((answer) => {
        // Not before: of answers that come at the same time, the first one would count as the last.
        this.underWay -= 1;
        if (this.late !== undefined) return this.onLateAnswer(asker, answer);
        const elapsedMs = performance.now() - askedAtMs;
        this.answerTimes.observe(elapsedMs);
        this.onAnswer(asker, answer, elapsedMs);
      })
      .catch((error: unknown) => this.onFailure(asker, error));
  }

  /** Why a node is not asked under this key, or about this chain, for a while. */
  private distrustOf({ index, nodeId }: Asker): string | undefined {
    const validator = this.request.validatorSet.validators[index];
    const isLiar = validator !== undefined && this.distrusted.has(nodeId, validator.publicKeyBytes);
    if (isLiar) return 'wrong signature';
    return this.distrusted.has(nodeId, this.request.sourceChainId) ? 'malformed signature' : undefined;
  }

  private awaitConnection(asker: Asker): void {
    const { index, nodeId } = asker;
    this.absent.set(nodeId, asker);
    this.progress.noteFailure(index, `not connected (${this.network.connectionState(nodeId)})`);
    this.progress.setAsker(asker, 'absent');
    this.replaceSentinel(asker);
    this.listener.onChange();
  }

  private onConnected(nodeId: string): void {
    const asker = this.absent.get(nodeId);
    if (asker === undefined) return;
    this.absent.delete(nodeId);
    this.ask(asker);
    this.listener.onChange();
  }

  private report(
    { index, nodeId }: Pick<Asker, 'index' | 'nodeId'>,
    kind: ValidatorAnswer,
    text: string,
    { isFinal = false, elapsedMs }: Partial<Pick<ObservedAnswer, 'isFinal' | 'elapsedMs'>> = {},
  ): void {
    this.request.onAnswer?.({ kind, index, nodeId, text, isFinal, elapsedMs });
  }

  private onAnswer(asker: Asker, answer: Uint8Array, elapsedMs: number): void {
    if (this.over.signal.aborted) return;
    // Where answers still arrive, the many light validators of the second wave would only be in their way.
    this.secondWave?.refresh();
    const { index, nodeId } = asker;
    const parsed = parseSignatureResponse(this.bls, answer);
    const kind = typeof parsed === 'string' ? parsed : 'signature';
    this.report(asker, kind, TEXT_OF[kind], { elapsedMs });
    if (parsed === 'empty') {
      this.progress.noteFailure(index, TEXT_OF.empty);
      return this.onRefusal(asker, 'lagging');
    }
    if (parsed === 'malformed') {
      // The caller chose the chain, and the chain's virtual machine answered: the node may serve all others well.
      this.progress.noteFailure(index, TEXT_OF.malformed);
      this.distrusted.add(nodeId, this.request.sourceChainId);
    } else {
      this.listener.onSignature(asker, parsed);
      this.wake(this.unknown.noteSignature(asker, this.progress.signedOrClaimedWeight));
    }
    this.endAsking(asker);
  }

  private onLateAnswer({ index }: Asker, answer: Uint8Array): void {
    const validator = this.request.validatorSet.validators[index];
    if (this.over.signal.aborted || validator === undefined) return;
    const signature = parseSignatureResponse(this.bls, answer);
    if (typeof signature !== 'string') {
      const claim: ClaimedSignature = { index, publicKey: validator.publicKey, signature };
      this.progress.claim(claim);
      this.late?.claims.push(claim);
    }
    if (this.isEnoughLate()) this.late?.end();
  }

  private isEnoughLate(): boolean {
    if (this.underWay === 0) return true;
    const isSmall = this.request.validatorSet.validators.length <= SMALL_SET;
    return !isSmall && this.progress.isGoalReached(true, SPARE_PERCENTAGE);
  }

  /** Those who rested are asked in waves, as if it were for the first time. */
  private wake(indexes: readonly number[]): void {
    if (indexes.length === 0) return;
    const woken = new Set(indexes);
    if (this.secondWave === undefined) this.watchSilence();
    this.askFirstWave(this.progress.unsignedByWeight().filter((index) => woken.has(index)));
  }

  private onFailure(asker: Asker, error: unknown): void {
    if (this.over.signal.aborted) return;
    if (this.late !== undefined) {
      if (this.isEnoughLate()) this.late.end();
      return;
    }
    if (!(error instanceof PeerRequestError)) return this.listener.onError(error);
    const text = describeFailure(error);
    this.progress.noteFailure(asker.index, text);
    const isRefusal = error.code === 'APP_ERROR';
    const isFinal = isRefusal && isAboutTheNode(error.appErrorCode);
    this.report(asker, ANSWER_OF_CODE[error.code], text, { isFinal });
    if (!isRefusal) {
      this.replaceSentinel(asker);
      return this.askLater(asker);
    }
    const fromPlatformChain = Buffer.compare(this.request.sourceChainId, PLATFORM_CHAIN) === 0;
    this.onRefusal(asker, classifyRefusal(error.appErrorCode, fromPlatformChain));
  }

  private onRefusal(asker: Asker, kind: RefusalKind): void {
    if (!this.mayMend(kind)) {
      // The last answer of a sentinel holds for all who wait for it.
      for (const other of this.unknown.release((resting) => !this.mayMend(resting))) this.endAsking(other);
      return this.endAsking(asker);
    }
    this.unknown.noteRefusal(asker);
    if (!this.unknown.isUnknown || this.unknown.isSentinel(asker)) return this.askLater(asker, kind);
    this.progress.setAsker(asker, 'paused');
    this.rest(asker, kind);
    this.listener.onChange();
  }

  private rest(asker: Asker, kind: RefusalKind): void {
    this.unknown.rest({ asker, kind });
    this.askSentinels();
  }

  /** In the place of those that are missing. */
  private askSentinels(): void {
    for (const sentinel of this.unknown.appoint()) {
      if (sentinel.timesAsked === 0) this.ask(sentinel);
      else this.askLater(sentinel);
    }
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

  /** `kind`: of its refusal, if it has refused; it rests if it turns out meanwhile that all do. */
  private askLater(asker: Asker, kind?: RefusalKind): void {
    this.progress.setAsker(asker, 'paused');
    const isUrgent = this.unknown.isSentinel(asker) && this.request.sentinelsFirst !== true;
    const cap = isUrgent ? SENTINEL_RETRY_CAP_MS : RETRY_CAP_MS;
    const pauseMs = Math.min(RETRY_BASE_MS * 2 ** (asker.timesAsked - 1), cap);
    this.timers.after(pauseMs * (0.75 + Math.random() / 2), () => {
      const mayAsk = kind === undefined || !this.unknown.isUnknown || this.unknown.isSentinel(asker);
      if (mayAsk) this.ask(asker);
      else this.rest(asker, kind);
    });
    this.listener.onChange();
  }

  private endAsking(asker: Asker): void {
    this.progress.setAsker(asker, 'done');
    this.replaceSentinel(asker);
    this.listener.onChange();
  }

  /** One that does not answer speaks for nobody. */
  private replaceSentinel(asker: Asker): void {
    if (!this.unknown.isSentinel(asker)) return;
    this.unknown.dismiss(asker);
    this.askSentinels();
  }

  private elapsedMs(): number {
    return performance.now() - this.startedAtMs;
  }
}
