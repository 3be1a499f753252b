import { Injectable } from '@nestjs/common';
import type { Caller } from '../../access/keys/caller.js';
import { KeyedCounts } from '../../platform/keyed-counts.js';
import { ApiError } from '../../platform/http/errors/api-error.js';
import { Refusals } from '../../platform/http/errors/refusals.js';
import { Metrics } from '../../platform/metrics/metrics.js';
import type { ChangeKind } from './change.repository.js';

/** Of one process: each asks Postgres at every block that has any changes. */
const MAX_STREAMS = 256;
/** Of all callers without a key together: those with one must not find it full of strangers. */
export const MAX_STREAMS_OF_STRANGERS = 192;
/** Of one organisation or, without a key, address. */
export const MAX_STREAMS_PER_CALLER = 16;
/** Of the addresses of one site, which one customer may have all of. */
export const MAX_STREAMS_PER_SITE = 64;
const RETRY_AFTER_SECONDS = 10;

/** How many streams there are, and of whom. */
@Injectable()
export class OpenStreams {
  /** By caller and by site. */
  private readonly open = new KeyedCounts();
  private readonly sent;
  private count = 0;
  private ofStrangers = 0;

  constructor(
    metrics: Metrics,
    private readonly refusals: Refusals,
  ) {
    const streams = metrics.gauge({ name: 'nds_change_streams', help: 'Open streams of changes' });
    metrics.onScrape([streams], () => () => streams.set(this.count));
    this.sent = metrics.counter({
      name: 'nds_changes_sent_total',
      help: 'Events of streams of changes that were sent',
      labels: ['kind'],
    });
  }

  /** Takes a place until the returned function is called. Throws the 429 or 503 where there is none. */
  take({ owner, site, apiKeyId }: Pick<Caller, 'owner' | 'site' | 'apiKeyId'>): () => void {
    const isStranger = apiKeyId === undefined;
    const places = [
      { key: owner, max: MAX_STREAMS_PER_CALLER },
      ...(site === undefined ? [] : [{ key: `site:${site}`, max: MAX_STREAMS_PER_SITE }]),
    ];
    for (const { key, max } of places) {
      this.refusals.hold('open_streams', this.open.of(key), max, RETRY_AFTER_SECONDS);
    }
    if (this.count >= MAX_STREAMS || (isStranger && this.ofStrangers >= MAX_STREAMS_OF_STRANGERS)) {
      const message = `${this.count} streams of changes are open, which is all that this process serves${isStranger ? ' without a key' : ''}`;
      this.refusals.refuse(
        'streams_full',
        new ApiError(503, message, { retryAfterSeconds: RETRY_AFTER_SECONDS }),
      );
    }
    const add = (change: 1 | -1): void => {
      this.count += change;
      if (isStranger) this.ofStrangers += change;
      for (const { key } of places) this.open.add(key, change);
    };
    add(1);
    let isOpen = true;
    return () => {
      if (isOpen) add(-1);
      isOpen = false;
    };
  }

  countSent(kind: ChangeKind): void {
    this.sent.inc({ kind });
  }
}
