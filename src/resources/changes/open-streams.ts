import { Injectable } from '@nestjs/common';
import { KeyedCounts } from '../../platform/keyed-counts.js';
import { ApiError } from '../../platform/http/errors/api-error.js';
import { Refusals } from '../../platform/http/errors/refusals.js';
import { Metrics } from '../../platform/metrics/metrics.js';
import type { ChangeKind } from './change.repository.js';

/** Of one process: each asks Postgres at every block that has any changes. */
const MAX_STREAMS = 256;
/** Of one organisation or, without a key, address. */
export const MAX_STREAMS_PER_CALLER = 16;
const RETRY_AFTER_SECONDS = 10;

/** How many streams there are, and of whom. */
@Injectable()
export class OpenStreams {
  private readonly open = new KeyedCounts();
  private readonly sent;
  private count = 0;

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
  take(caller: string): () => void {
    this.refusals.hold('open_streams', this.open.of(caller), MAX_STREAMS_PER_CALLER, RETRY_AFTER_SECONDS);
    if (this.count >= MAX_STREAMS) {
      const message = `${MAX_STREAMS} streams of changes are open, which is all that this process serves`;
      this.refusals.refuse(
        'streams_full',
        new ApiError(503, message, { retryAfterSeconds: RETRY_AFTER_SECONDS }),
      );
    }
    this.count += 1;
    this.open.add(caller, 1);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      this.count -= 1;
      this.open.add(caller, -1);
    };
  }

  countSent(kind: ChangeKind): void {
    this.sent.inc({ kind });
  }
}
