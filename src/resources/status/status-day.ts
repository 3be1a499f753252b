import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { IndexOverviews } from '../../indexes/overview/index-overviews.js';
import { Config } from '../../platform/config/config.module.js';
import { HealthService } from '../health/health.service.js';
import { toSlot } from './aggregation-series.js';
import type { DayStatusResponse } from './dto/status.response.js';
import { DAY_SLOT_SECONDS } from './process.repository.js';
import { DAY_SLOTS, StatusDayRepository } from './status-day.repository.js';

/** Twice, so that no minute is missed because of a busy moment. */
const NOTE_MS = 30_000;

/** Records minute by minute how the service is, and reports the last day. In API processes, while they answer. */
@Injectable()
export class StatusDay implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(StatusDay.name);
  private timer: NodeJS.Timeout | undefined;
  private noting: Promise<void> = Promise.resolve();

  constructor(
    private readonly config: Config,
    private readonly health: HealthService,
    private readonly overviews: IndexOverviews,
    private readonly days: StatusDayRepository,
  ) {}

  onApplicationBootstrap(): void {
    if (!this.config.env.STATUS_PAGE) return;
    this.noting = this.note();
    this.timer = setInterval(() => {
      this.noting = this.note();
    }, NOTE_MS).unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.noting;
  }

  async read(): Promise<DayStatusResponse> {
    const [minutes, counts] = await Promise.all([this.days.listMinutes(), this.days.listAggregations()]);
    const slots = Array.from({ length: DAY_SLOTS }, (_, index) => {
      const slotsAgo = DAY_SLOTS - 1 - index;
      const known = minutes.find((slot) => slot.slotsAgo === slotsAgo);
      const buckets = counts.filter((count) => count.slotsAgo === slotsAgo);
      const { signed, failed, p95Ms } = toSlot(
        new Map(buckets.map(({ bucket, aggregations }) => [bucket, aggregations])),
      );
      return {
        signed,
        failed,
        p95Ms,
        upPercentage: known && (known.minutesUp / known.minutes) * 100,
        lagSeconds: known?.lagSeconds ?? undefined,
      };
    });
    return { slotSeconds: DAY_SLOT_SECONDS, slots };
  }

  /** Never rejects: a minute without a record counts as one in which nothing worked. */
  private async note(): Promise<void> {
    try {
      const [{ status }, indexes] = await Promise.all([this.health.check(), this.overviews.list()]);
      const lags = indexes.flatMap(({ position }) => ('lagSeconds' in position ? [position.lagSeconds] : []));
      const isUp = status === 'ok' || status === 'degraded';
      await this.days.addMinute({ isUp, lagSeconds: lags.length === 0 ? undefined : Math.max(...lags) });
    } catch (error) {
      this.logger.debug(`status: a minute is not recorded: ${String(error)}`);
    }
  }
}
