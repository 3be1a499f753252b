import { setTimeout as delay } from 'node:timers/promises';
import { HostLimiter } from '../../../avalanche/rpc/http/host-limiter.js';
import { isAskedTooOften } from '../../../avalanche/rpc/refusals.js';
import { RpcError } from '../../../avalanche/rpc/rpc.error.js';

/** How often one request is asked of one node before the node counts as failing. */
const MAX_ATTEMPTS = 4;
const FIRST_DELAY_MS = 200;
/** A host that wants to be left alone for longer is given up for now instead of waited for. */
const MAX_WAIT_MS = 15_000;

/** One node as the index asks it: as much at a time as its host bears, and again after failures that time may mend. */
export class Throttle {
  constructor(
    private readonly maxConcurrency: number,
    /** Shared with all who ask the same host. */
    private readonly limiter = new HostLimiter('node'),
  ) {}

  /** Requests that may run now. */
  get concurrency(): number {
    return Math.min(this.maxConcurrency, this.limiter.concurrency);
  }

  /** Throws the last failure, or the signal's reason. */
  async ask<T>(request: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.limiter.ask({ run: request, method: 'blocks', maxWaitMs: MAX_WAIT_MS, signal });
      } catch (error) {
        signal?.throwIfAborted();
        if (!(error instanceof RpcError) || !isTransient(error)) throw error;
        if (attempt >= MAX_ATTEMPTS || this.limiter.pauseMs > MAX_WAIT_MS) throw error;
        await delay(FIRST_DELAY_MS * 2 ** (attempt - 1), undefined, { signal });
      }
    }
  }
}

/** Whether the same node may well answer the same question a little later. */
export function isTransient(error: RpcError): boolean {
  return error.code === 'NODE_UNREACHABLE' || error.code === 'NODE_TIMED_OUT' || isAskedTooOften(error);
}
