import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import pg from 'pg';
import { Config } from '../../../platform/config/config.module.js';
import { CONNECTION_OPTIONS } from '../../../platform/database/data-source.js';
import { AGGREGATED_SIGNATURES_CHANNEL } from '../store/signature.repository.js';

const RECONNECT_DELAY_MS = 1_000;

export interface SavedResult {
  /** Resolves when the result was stored; never if the notification does not arrive. */
  readonly promise: Promise<'saved'>;
  cancel(): void;
}

/**
 * Receives notifications from Postgres about results that other processes have just stored. They only make answers faster: without
 * its connection, callers get their answer from the workflow.
 */
@Injectable()
export class ResultListener implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(ResultListener.name);
  private readonly waiting = new Map<string, Set<() => void>>();
  private client: pg.Client | undefined;
  private reconnecting: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor(private readonly config: Config) {}

  onApplicationBootstrap(): Promise<void> {
    return this.connect();
  }

  async onApplicationShutdown(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.reconnecting);
    await this.client?.end().catch(() => undefined);
  }

  waitFor(key: string): SavedResult {
    let wake = (): void => undefined;
    const promise = new Promise<'saved'>((resolve) => (wake = () => resolve('saved')));
    const wakers = this.waiting.get(key) ?? new Set();
    this.waiting.set(key, wakers.add(wake));
    return {
      promise,
      cancel: () => {
        wakers.delete(wake);
        if (wakers.size === 0 && this.waiting.get(key) === wakers) this.waiting.delete(key);
      },
    };
  }

  private async connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.config.env.DATABASE_URL,
      application_name: 'network-data-service listener',
      ...CONNECTION_OPTIONS,
    });
    this.client = client;
    client.on('notification', ({ payload }) => {
      for (const wake of this.waiting.get(payload ?? '') ?? []) wake();
    });
    // 'end' follows, also for connections that break.
    client.on('error', (error) => this.logger.warn(`connection lost: ${error.message}`));
    client.once('end', () => this.reconnectLater());
    try {
      await client.connect();
      await client.query(`LISTEN ${AGGREGATED_SIGNATURES_CHANNEL}`);
    } catch (error) {
      this.logger.warn(`not connected: ${String(error)}`);
      await client.end().catch(() => undefined);
      this.reconnectLater();
    }
  }

  private reconnectLater(): void {
    if (this.isClosed || this.reconnecting !== undefined) return;
    this.reconnecting = setTimeout(() => {
      this.reconnecting = undefined;
      void this.connect();
    }, RECONNECT_DELAY_MS);
  }
}
