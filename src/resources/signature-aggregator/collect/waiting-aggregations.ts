import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../access/keys/caller.js';
import { Config } from '../../../platform/config/config.module.js';
import { Refusals } from '../../../platform/http/errors/refusals.js';
import { KeyedCounts } from '../../../platform/keyed-counts.js';

/** Most have their signatures in less. */
const RETRY_AFTER_SECONDS = 5;

/** Holds each caller to a number of aggregations that wait in this process at a time: each may wait for half a minute. */
@Injectable()
export class WaitingAggregations {
  private readonly waiting = new KeyedCounts();

  constructor(
    private readonly refusals: Refusals,
    private readonly config: Config,
  ) {}

  /** Throws the 429 of a caller with too many. */
  async during<T>(caller: Caller | undefined, work: () => Promise<T>): Promise<T> {
    if (caller === undefined || !this.config.env.RATE_LIMITS) return work();
    const { owner, plan } = caller;
    this.refusals.hold(
      'waiting_aggregations',
      this.waiting.of(owner),
      plan.waitingAggregations,
      RETRY_AFTER_SECONDS,
    );
    this.waiting.add(owner, 1);
    try {
      return await work();
    } finally {
      this.waiting.add(owner, -1);
    }
  }
}
