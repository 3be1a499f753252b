import { randomInt } from 'node:crypto';
import { onAbort } from '../abort-listeners.js';
import type { P2pMessageKind } from '../messages/p2p-message.js';
import { PeerRequestError } from '../peer-request.error.js';

/** Longest text that is kept of a refusal. */
export const MAX_APP_ERROR_MESSAGE_CHARS = 256;

/** Longest time that timers can be set to, 24 days; a longer one would end at once. */
export const MAX_TIMEOUT_MS = 2 ** 31 - 1;

const REQUEST_ID_LIMIT = 2 ** 32;

/** One for all: a collection that has enough gives up hundreds of requests at once. */
const ABORTED = new PeerRequestError('ABORTED', 'the request was aborted');

/** A request that waits, and the kind of message that answers it. */
export interface AwaitedAnswer {
  readonly chainId: Uint8Array;
  readonly answerKind: P2pMessageKind;
  /** From sending to the answer. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

interface PendingRequest extends Pick<AwaitedAnswer, 'chainId' | 'answerKind'> {
  settle(outcome: { readonly body: unknown } | PeerRequestError): void;
}

/**
 * The requests of one connection that wait for their answer. Each settles once: by its answer, a refusal, its timeout,
 * its signal or the end of the connection. Ids are odd, because virtual machines of the EVM family route even ones to
 * an older protocol (coreth and subnet-evm, network/network.go).
 *
 * A request that was given up may still be answered, and that is no fault of the node.
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
   * Registers a request and lets `send` put it on the wire; `send` returns whether it could.
   * @returns what `onAnswer` is given for it; rejects with PeerRequestError
   */
  add(request: AwaitedAnswer, send: (requestId: number) => boolean): Promise<unknown> {
    if (request.signal?.aborted === true) {
      return Promise.reject(ABORTED);
    }
    if (!(request.timeoutMs > 0)) {
      return Promise.reject(new PeerRequestError('TIMED_OUT', 'no time is left for the request'));
    }
    if (this.byId.size >= this.maxInFlight) {
      return Promise.reject(
        new PeerRequestError('TOO_MANY_REQUESTS', `${this.byId.size} requests wait for answers of this node`),
      );
    }
    const id = this.takeId();
    const answer = this.register(id, request);
    if (!send(id)) {
      this.byId.get(id)?.settle(new PeerRequestError('TOO_MANY_REQUESTS', 'the node reads too slowly'));
    }
    return answer;
  }

  /** False when nothing like it was asked, or it was answered before. */
  onAnswer(answer: {
    requestId: number;
    chainId: Uint8Array;
    answerKind: P2pMessageKind;
    body: unknown;
  }): boolean {
    return this.settle(answer, () => answer);
  }

  /** False when nothing like it was asked, or it was answered before. */
  onError(requestId: number, chainId: Uint8Array, refusal: { code: number; message: string }): boolean {
    return this.settle({ requestId, chainId, answerKind: 'appResponse' }, () => {
      const message = makePrintable(refusal.message);
      return new PeerRequestError('APP_ERROR', `refused with code ${refusal.code}: ${message}`, {
        code: refusal.code,
        message,
      });
    });
  }

  /** The connection is gone. */
  rejectAll(reason: string): void {
    for (const request of [...this.byId.values()]) {
      request.settle(new PeerRequestError('DISCONNECTED', `the connection ended: ${reason}`));
    }
  }

  private register(id: number, request: AwaitedAnswer): Promise<unknown> {
    const { chainId, answerKind, signal, timeoutMs } = request;
    return new Promise((resolve, reject) => {
      const settle: PendingRequest['settle'] = (outcome) => {
        this.byId.delete(id);
        clearTimeout(timer);
        forgetSignal?.();
        if (outcome instanceof PeerRequestError) {
          reject(outcome);
        } else {
          resolve(outcome.body);
        }
      };
      const giveUp = (error: PeerRequestError): void => {
        this.rememberGivenUp(id);
        settle(error);
      };
      const onTimeout = (): void =>
        giveUp(new PeerRequestError('TIMED_OUT', `no answer within ${timeoutMs} ms`));
      const timer = setTimeout(onTimeout, Math.min(timeoutMs, MAX_TIMEOUT_MS)).unref();
      const forgetSignal = signal && onAbort(signal, () => giveUp(ABORTED));
      this.byId.set(id, { chainId, answerKind, settle });
    });
  }

  private settle(
    answer: { requestId: number; chainId: Uint8Array; answerKind: P2pMessageKind },
    makeOutcome: () => { readonly body: unknown } | PeerRequestError,
  ): boolean {
    const { requestId, chainId, answerKind } = answer;
    const pending = this.byId.get(requestId);
    if (pending === undefined) {
      return this.givenUp.delete(requestId);
    }
    if (pending.answerKind !== answerKind || Buffer.compare(pending.chainId, chainId) !== 0) {
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
