import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../access/keys/caller.js';
import { Config } from '../../../platform/config/config.module.js';
import { Refusals } from '../../../platform/http/errors/refusals.js';

/** Most have their signatures in less. */
const RETRY_AFTER_SECONDS = 5;

/** Holds each caller to a number of aggregations that wait in this process at a time: each may wait for half a minute. */
@Injectable()
export class WaitingAggregations {
  private readonly waiting = new Map<string, number>();

  constructor(
    private readonly refusals: Refusals,
    private readonly config: Config,
  ) {}

  /** Throws the 429 of a caller with too many. */
  async during<T>(caller: Caller | undefined, work: () => Promise<T>): Promise<T> {
    if (caller === undefined || !this.config.env.RATE_LIMITS) return work();
    const { owner, plan } = caller;
    const waiting = this.waiting.get(owner) ?? 0;
    this.refusals.hold('waiting_aggregations', waiting, plan.waitingAggregations, RETRY_AFTER_SECONDS);
    this.waiting.set(owner, waiting + 1);
    try {
      return await work();
    } finally {
      const left = (this.waiting.get(owner) ?? 1) - 1;
      if (left === 0) this.waiting.delete(owner);
      else this.waiting.set(owner, left);
    }
  }
}
