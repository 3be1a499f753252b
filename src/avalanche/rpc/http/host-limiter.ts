import { toError } from './http-post.js';
import { isAskedTooOften } from '../refusals.js';
import { RpcError } from '../rpc.error.js';

/** Requests to a host that has never complained; as many sockets as are opened to one. */
const MAX_IN_FLIGHT = 64;
/** Longer waits are left to the caller, who can give up its place in the meantime. */
export const DEFAULT_MAX_WAIT_MS = 30_000;
/** How long a host that had enough is left alone without a Retry-After, twice as long after each time in a row. */
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;
/** Longest that a host is left alone at its own request. */
const MAX_RETRY_AFTER_MS = 600_000;
/** Share of the rate that remains after it was too much, and the increase after each answered call, in calls per second. */
const RATE_CUT = 0.7;
const RATE_STEP = 0.05;
const MIN_RATE = 0.5;
/** However many calls are in it: some hosts count only requests. */
const MAX_SPACING_MS = 2_000;
/** How far starts may lag behind their even pace and still catch up. */
const BURST_MS = 100;

export interface HostLimiterOptions {
  /** Requests that are begun in a second; 0, the default, leaves that to what the host bears. */
  readonly requestsPerSecond?: number;
  readonly firstPauseMs?: number;
}

export interface LimitedRequest<T> {
  readonly run: () => Promise<T>;
  /** For the error of a request that waited in vain. */
  readonly method: string;
  /** Calls in the request, which most hosts count one by one; 1 unless given. */
  readonly calls?: number;
  readonly maxWaitMs?: number;
  readonly signal?: AbortSignal | undefined;
  /** The host's complaint inside an answer, which may hold good things as well. */
  readonly limitIn?: (answer: T) => RpcError | undefined;
}

/** Where a request stands among all that were begun, and how many were answered by then. */
interface Place {
  readonly number: number;
  readonly calls: number;
  readonly answersBefore: number;
}

/**
 * How many requests one host can handle at a time, and how many calls per second: all requests to it pass through here. Both grow slowly
 * with every answer and are cut when the host complains (additive increase, multiplicative decrease), the first also when it falls
 * silent. After a complaint all of them leave it alone for as long as it asks.
 */
export class HostLimiter {
  private readonly minSpacingMs: number;
  private readonly firstPauseMs: number;
  private readonly waiting = new Set<(now: number) => void>();
  private readonly answered = new LastSecond();
  private timer: NodeJS.Timeout | undefined;
  private inFlight = 0;
  private window = MAX_IN_FLIGHT;
  private rate = Infinity;
  /** Times are of the monotonic clock: no wrong clock may keep requests from a host. */
  private nextStartAt = 0;
  private pausedUntil = 0;
  private limitsInARow = 0;
  /** The rate at which it last refused. */
  private complaint = 'too many requests wait for it';
  /** Requests begun and answered so far, and those begun when the last cut was made. */
  private begun = 0;
  private answers = 0;
  private begunAtCut = 0;
  /** Time that all requests have waited in sum, and the number of refusals; both only grow. */
  waitedMs = 0;
  complaints = 0;

  constructor(
    private readonly host: string,
    { requestsPerSecond = 0, firstPauseMs = FIRST_PAUSE_MS }: HostLimiterOptions = {},
  ) {
    this.firstPauseMs = firstPauseMs;
    this.minSpacingMs = requestsPerSecond > 0 ? 1_000 / requestsPerSecond : 0;
  }

  /** Requests that may run now. */
  get concurrency(): number {
    return Math.max(1, Math.floor(this.window));
  }

  /** Requests whose turn has not come. */
  get queueLength(): number {
    return this.waiting.size;
  }

  /** How long no requests may be sent. */
  get pauseMs(): number {
    return Math.max(0, this.pausedUntil - performance.now());
  }

  /**
   * Runs the request when its turn has come. Rejects as it does; with an RpcError that has `retryAfterMs` when it would have to
   * wait for too long; or with the signal's reason.
   */
  async ask<T>({ run, limitIn, ...request }: LimitedRequest<T>): Promise<T> {
    const place = this.admitAtOnce(request) ?? (await this.admit(request));
    try {
      const answer = await run();
      this.note(place, limitIn?.(answer));
      return answer;
    } catch (error) {
      if (error instanceof RpcError) this.note(place, error);
      throw error;
    } finally {
      this.inFlight -= 1;
      this.startNext();
    }
  }

  private admitAtOnce({ signal, calls }: Omit<LimitedRequest<never>, 'run'>): Place | undefined {
    signal?.throwIfAborted();
    const now = performance.now();
    if (this.waiting.size > 0 || this.inFlight >= this.concurrency || this.startsAt() > now) return undefined;
    return this.begin(now, calls);
  }

  private admit({
    method,
    calls,
    signal,
    maxWaitMs = DEFAULT_MAX_WAIT_MS,
  }: Omit<LimitedRequest<never>, 'run'>): Promise<Place> {
    return new Promise((resolve, reject) => {
      const sinceMs = performance.now();
      if (this.pauseMs > maxWaitMs) throw this.refusal(method);
      const leaveQueue = (): void => {
        this.waiting.delete(start);
        this.waitedMs += Math.max(0, performance.now() - sinceMs);
        clearTimeout(patience);
        signal?.removeEventListener('abort', giveUp);
      };
      const start = (now: number): void => {
        leaveQueue();
        resolve(this.begin(now, calls));
      };
      const giveUp = (): void => {
        leaveQueue();
        reject(signal?.aborted ? toError(signal.reason) : this.refusal(method));
      };
      const patience = setTimeout(giveUp, maxWaitMs);
      signal?.addEventListener('abort', giveUp, { once: true });
      this.waiting.add(start);
      this.startNext();
    });
  }

  /** In the order in which they came. */
  private startNext(): void {
    clearTimeout(this.timer);
    for (const start of this.waiting) {
      if (this.inFlight >= this.concurrency) return;
      const now = performance.now();
      const delayMs = this.startsAt() - now;
      if (delayMs > 0) {
        this.timer = setTimeout(() => this.startNext(), Math.ceil(delayMs));
        return;
      }
      start(now);
    }
  }

  private startsAt(): number {
    return Math.max(this.pausedUntil, this.nextStartAt);
  }

  private begin(now: number, calls = 1): Place {
    this.inFlight += 1;
    this.begun += 1;
    const spacingMs = Math.max(this.minSpacingMs, Math.min(MAX_SPACING_MS, (calls * 1_000) / this.rate));
    this.nextStartAt = Math.max(this.nextStartAt, now - BURST_MS) + spacingMs;
    return { number: this.begun, calls, answersBefore: this.answers };
  }

  private note({ number, calls, answersBefore }: Place, error: RpcError | undefined): void {
    if (error !== undefined && isAskedTooOften(error)) this.pause(number, error);
    else if (error === undefined || error.code === 'NODE_REJECTED') this.grow(calls);
    // While others were answered it was this request that was too heavy, not all of them together.
    else if (error.code !== 'NODE_BAD_RESPONSE' && this.answers === answersBefore) this.cut(number);
  }

  private grow(calls: number): void {
    this.answers += 1;
    this.answered.add(performance.now(), calls);
    this.limitsInARow = 0;
    this.window = Math.min(MAX_IN_FLIGHT, this.window + 1 / this.window);
    this.rate += RATE_STEP * calls;
  }

  private pause(number: number, { reason, facts: { retryAfterMs = 0 } }: RpcError): void {
    const now = performance.now();
    this.complaint = reason;
    this.complaints += 1;
    let pauseMs = Math.min(MAX_RETRY_AFTER_MS, retryAfterMs);
    if (this.cut(number)) {
      const answered = this.answered.count(now);
      // Who was refused before anything was answered knows of no rate.
      if (answered > 0) this.rate = Math.max(MIN_RATE, RATE_CUT * Math.min(this.rate, answered));
      pauseMs = Math.max(pauseMs, Math.min(MAX_PAUSE_MS, this.firstPauseMs * 2 ** this.limitsInARow));
      this.limitsInARow += 1;
    }
    this.pausedUntil = Math.max(this.pausedUntil, now + pauseMs);
  }

  /** Whether it is news: requests that were on their way at the last cut may all be refused, and together are one sign. */
  private cut(number: number): boolean {
    if (number <= this.begunAtCut) return false;
    this.begunAtCut = this.begun;
    this.window = Math.max(1, Math.min(this.window, this.inFlight) / 2);
    return true;
  }

  private refusal(method: string): RpcError {
    const retryAfterMs = Math.max(this.pauseMs, this.firstPauseMs);
    const facts = { host: this.host, method, retryAfterMs };
    return new RpcError(
      'NODE_UNREACHABLE',
      `not requested, because the host is throttling: ${this.complaint}`,
      facts,
    );
  }
}

/** The limiters of all hosts that a process asks. */
export class HostLimiters {
  private readonly limiters = new Map<string, HostLimiter>();

  constructor(private readonly options: HostLimiterOptions = {}) {}

  /** By host, with its port. */
  all(): ReadonlyMap<string, HostLimiter> {
    return this.limiters;
  }

  /** `host` with its port. */
  of(host: string): HostLimiter {
    let limiter = this.limiters.get(host);
    if (limiter === undefined) {
      limiter = new HostLimiter(host, this.options);
      this.limiters.set(host, limiter);
    }
    return limiter;
  }
}

/** How much there was in the last second: in this one or the one before, whichever had more. */
class LastSecond {
  private second = 0;
  private now = 0;
  private before = 0;

  add(timeMs: number, count: number): void {
    this.turn(timeMs);
    this.now += count;
  }

  count(timeMs: number): number {
    this.turn(timeMs);
    return Math.max(this.now, this.before);
  }

  private turn(timeMs: number): void {
    const second = Math.floor(timeMs / 1_000);
    if (second === this.second) return;
    this.before = second === this.second + 1 ? this.now : 0;
    this.now = 0;
    this.second = second;
  }
}
