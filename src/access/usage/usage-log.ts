import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { UsageLogRepository } from './usage-log.repository.js';
import type { RequestRecord } from './usage.js';

/** How long a request waits to be stored: what kill -9 can lose. */
const FLUSH_INTERVAL_MS = 1_000;
const MAX_BATCH = 5_000;
/** Some minutes of what one process can answer, about 20 MB. Beyond that Postgres has been away for too long. */
const MAX_WAITING = 100_000;

/** Keeps a record of each request, without any request waiting for it. */
@Injectable()
export class UsageLog implements BeforeApplicationShutdown {
  private readonly logger = new Logger(UsageLog.name);
  private waiting: RequestRecord[] = [];
  /** Of those, the ones since the last time that cost nothing: whoever goes on after a refusal must not fill the disk. */
  private unpaid = new Map<string, { requests: number }>();
  private dropped = 0;
  private timer: NodeJS.Timeout | undefined;
  private storing = Promise.resolve();

  constructor(private readonly repository: UsageLogRepository) {}

  /** Equal ones without cost become one record. */
  add(request: Omit<RequestRecord, 'requests'>): void {
    const { orgId, apiKeyId, requestPath, responseCode, chainId, units } = request;
    const kind = units > 0 ? undefined : [orgId, apiKeyId, requestPath, responseCode, chainId].join('\n');
    const known = kind === undefined ? undefined : this.unpaid.get(kind);
    if (known !== undefined) {
      known.requests += 1;
      return;
    }
    if (this.waiting.length >= MAX_WAITING) {
      this.dropped += 1;
      return;
    }
    const record = { ...request, requests: 1 };
    this.waiting.push(record);
    if (kind !== undefined) this.unpaid.set(kind, record);
    this.timer ??= setTimeout(() => this.flush(), FLUSH_INTERVAL_MS);
  }

  /** Before the connections to Postgres are closed. */
  async beforeApplicationShutdown(): Promise<void> {
    this.flush();
    await this.storing;
    clearTimeout(this.timer);
  }

  private flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.storing = this.storing.then(() => this.store());
  }

  private async store(): Promise<void> {
    while (this.waiting.length > 0) {
      this.unpaid.clear(); // what is being stored no longer grows
      const batch = this.waiting.slice(0, MAX_BATCH);
      try {
        await this.repository.insert(batch);
      } catch (error) {
        this.logger.warn(`${this.waiting.length} requests wait to be counted: ${String(error)}`);
        this.timer ??= setTimeout(() => this.flush(), FLUSH_INTERVAL_MS);
        return;
      }
      this.waiting = this.waiting.slice(batch.length);
    }
    if (this.dropped > 0) this.logger.warn(`${this.dropped} requests are not counted`);
    this.dropped = 0;
  }
}
