import { randomInt } from 'node:crypto';
import { onAbort } from '../abort-listeners.js';
import { AppRequestError } from '../network/app-request-network.js';

/** Longest text that is kept of a refusal. */
export const MAX_APP_ERROR_MESSAGE_CHARS = 256;

/** Longest time that timers can be set to, 24 days; a longer one would end at once. */
export const MAX_TIMEOUT_MS = 2 ** 31 - 1;

const REQUEST_ID_LIMIT = 2 ** 32;

/** One for all: a collection that has enough gives up hundreds of requests at once. */
const ABORTED = new AppRequestError('ABORTED', 'the request was aborted');

interface PendingRequest {
  readonly chainId: Uint8Array;
  settle(outcome: Uint8Array | AppRequestError): void;
}

/**
 * The requests of one connection that wait for their answer. Each settles once: by its answer, a refusal, its timeout,
 * its signal or the end of the connection. Ids are odd, because virtual machines of the EVM family route even ones to
 * an older protocol (coreth and subnet-evm, network/network.go).
 *
 * What we gave up waiting for may still be answered, and that is no fault of the node.
 */
export class PendingRequests {
  private readonly byId = new Map<number, PendingRequest>();
  /** Ids that were given up, the oldest first; no more of them than requests that may wait. */
  private readonly givenUp = new Set<number>();
  private nextId: number;

  constructor(
    private readonly maxInFlight: number,
    firstId: number = randomInt(REQUEST_ID_LIMIT / 2) * 2 + 1,
  ) {
    this.nextId = firstId;
  }

  get size(): number {
    return this.byId.size;
  }

  /**
   * Registers a request and lets `send` put it on the wire; `send` says whether it could.
   * @returns the body of the answer; rejects with AppRequestError
   */
  add(
    request: { chainId: Uint8Array; timeoutMs: number; signal?: AbortSignal | undefined },
    send: (requestId: number) => boolean,
  ): Promise<Uint8Array> {
    if (request.signal?.aborted === true) {
      return Promise.reject(ABORTED);
    }
    if (!(request.timeoutMs > 0)) {
      return Promise.reject(new AppRequestError('TIMED_OUT', 'no time is left for the request'));
    }
    if (this.byId.size >= this.maxInFlight) {
      return Promise.reject(
        new AppRequestError('TOO_MANY_REQUESTS', `${this.byId.size} requests wait for answers of this node`),
      );
    }
    const id = this.takeId();
    const answer = this.register(id, request);
    if (!send(id)) {
      this.byId.get(id)?.settle(new AppRequestError('TOO_MANY_REQUESTS', 'the node reads too slowly'));
    }
    return answer;
  }

  /** False when nothing like it was asked, or it was answered before. */
  onResponse(requestId: number, chainId: Uint8Array, appBytes: Uint8Array): boolean {
    return this.settle(requestId, chainId, () => appBytes.slice());
  }

  /** False when nothing like it was asked, or it was answered before. */
  onError(requestId: number, chainId: Uint8Array, refusal: { code: number; message: string }): boolean {
    return this.settle(requestId, chainId, () => {
      const message = makePrintable(refusal.message);
      return new AppRequestError('APP_ERROR', `refused with code ${refusal.code}: ${message}`, {
        code: refusal.code,
        message,
      });
    });
  }

  /** The connection is gone. */
  rejectAll(reason: string): void {
    for (const request of [...this.byId.values()]) {
      request.settle(new AppRequestError('DISCONNECTED', `the connection ended: ${reason}`));
    }
  }

  private register(
    id: number,
    request: { chainId: Uint8Array; timeoutMs: number; signal?: AbortSignal | undefined },
  ): Promise<Uint8Array> {
    const { signal, timeoutMs } = request;
    return new Promise((resolve, reject) => {
      const settle = (outcome: Uint8Array | AppRequestError): void => {
        this.byId.delete(id);
        clearTimeout(timer);
        forgetSignal?.();
        if (outcome instanceof AppRequestError) {
          reject(outcome);
        } else {
          resolve(outcome);
        }
      };
      const giveUp = (error: AppRequestError): void => {
        this.rememberGivenUp(id);
        settle(error);
      };
      const onTimeout = (): void =>
        giveUp(new AppRequestError('TIMED_OUT', `no answer within ${timeoutMs} ms`));
      const timer = setTimeout(onTimeout, Math.min(timeoutMs, MAX_TIMEOUT_MS)).unref();
      const forgetSignal = signal && onAbort(signal, () => giveUp(ABORTED));
      this.byId.set(id, { chainId: request.chainId, settle });
    });
  }

  private settle(
    requestId: number,
    chainId: Uint8Array,
    makeOutcome: () => Uint8Array | AppRequestError,
  ): boolean {
    const pending = this.byId.get(requestId);
    if (pending === undefined) {
      return this.givenUp.delete(requestId);
    }
    if (Buffer.compare(pending.chainId, chainId) !== 0) {
      return false;
    }
    pending.settle(makeOutcome());
    return true;
  }

  private rememberGivenUp(id: number): void {
    this.givenUp.add(id);
    if (this.givenUp.size > this.maxInFlight) {
      const [oldest = id] = this.givenUp;
      this.givenUp.delete(oldest);
    }
  }

  /** Ids in use are skipped; there are far fewer of them than ids. */
  private takeId(): number {
    let id = this.nextId;
    while (this.byId.has(id)) {
      id = (id + 2) % REQUEST_ID_LIMIT;
    }
    this.nextId = (id + 2) % REQUEST_ID_LIMIT;
    return id;
  }
}

/** A node's words, fit for a log line: bounded, without control characters. */
export function makePrintable(text: string): string {
  const start = Array.from(text.slice(0, 2 * MAX_APP_ERROR_MESSAGE_CHARS)).slice(
    0,
    MAX_APP_ERROR_MESSAGE_CHARS,
  );
  return start.join('').replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '\ufffd');
}
